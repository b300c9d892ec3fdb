/** Executes a resource command and prints its result. */

import { FlagwrightError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { nameService } from '../../posthog/client/failure-table.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import { escapeLine } from '../../report/escape.ts';
import type { ExitCode } from '../line/exit.ts';
import { loadProject } from '../project/load-project.ts';
import { withProject } from '../project/open-project.ts';
import { toFlagwrightError } from '../session/failure.ts';
import { askForYes, type Session } from '../session/session.ts';
import type { CommandValues, ResourceCommand, ResourceGroup, ResourceAnswer } from './command.ts';

export interface Invocation {
  readonly group: ResourceGroup;
  readonly row: ResourceCommand;
  readonly values: CommandValues;
}

interface ShownColumns {
  readonly columns: readonly string[];
  readonly allColumns?: readonly string[];
  /** The user chose them. */
  readonly chosen?: true;
}

export async function execute(session: Session, { group, row, values }: Invocation): Promise<ExitCode> {
  const loaded = await loadProject(session);
  const { requestsPerMinute = Infinity } = group;
  const project =
    loaded.project.service === 'embedded'
      ? loaded.project
      : { ...loaded.project, requestsPerMinute: Math.min(loaded.project.requestsPerMinute, requestsPerMinute) };
  if (row.question !== undefined && values['yes'] !== true) {
    const question = escapeLine(`${row.question(values)} (project ${project.name})`);
    const remedy = `The question was: ${question} Confirm with --yes.`;
    await askForYes(session, { question, refusal: 'nothing was done', remedy });
  }
  await withProject(session, { project }, async (opened) => {
    const { progress } = opened;
    try {
      const client = row.writes === true ? await opened.forWriting() : opened.client;
      const answer = await row.run(client, values);
      // Every format shows the columns that the user chose.
      const { columns = [], csvColumns: allColumns } = row;
      const chosen = values['columns'] as readonly string[] | undefined;
      const shown =
        chosen === undefined ? { columns, ...defined({ allColumns }) } : { columns: chosen, chosen: true as const };
      await publishAnswer(session, answer, shown);
    } catch (error) {
      throw explain(error, group);
    } finally {
      progress.clear();
    }
  });
  return 0;
}

/** Names the command that does what a missing one would do. */
export async function refuseElsewhere(name: string, remedy: string): Promise<never> {
  throw new FlagwrightError('usage', `The command '${name}' does not exist.`, { remedy });
}

/** The usual remedies are about plans; these name the scope and the missing object of a resource command. */
function explain(error: unknown, { scope }: ResourceGroup): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { failure, method, path, callee } = error;
  const known = toFlagwrightError(error);
  const worded = (code: FlagwrightError['code'], message: string, remedy: string): FlagwrightError =>
    new FlagwrightError(code, message, { remedy, cause: error });
  if (failure.kind === 'forbidden') {
    const [, elsewhere] = /\/api\/(project|organization)s\/[^/]+\/$/.exec(path) ?? [];
    if (elsewhere !== undefined)
      return worded(known.code, known.message, `The API key needs the scope ${elsewhere}:read too.`);
    const remedy = `The API key needs the scope ${scope}:read; for writes ${scope}:write; for activity activity_log:read.`;
    return worded(known.code, known.message, remedy);
  }
  if (failure.kind === 'not_found') {
    const detail = failure.detail === null ? '' : `: ${failure.detail}`;
    const message = `${nameService(callee)} did not find the requested object${detail} (${method} ${path}).`;
    const remedy =
      'Check the id and the project. Newer services have removed some operations (docs/service/persons.md).';
    return worded('service_refused', message, remedy);
  }
  if (failure.kind === 'unexpected_status' && failure.status === 405) {
    const remedy =
      'This service lacks the operation; the real service creates persons from events (docs/service/persons.md).';
    return worded(known.code, known.message, remedy);
  }
  return error;
}

/** Publishes the result of a resource command as a report. Lists are streamed. */
async function publishAnswer(
  session: Session,
  answer: ResourceAnswer,
  { chosen, ...shown }: ShownColumns,
): Promise<void> {
  if (answer.kind !== 'records') return session.publish(answer);
  const { limit = Infinity, document } = answer;
  const layout = chosen === true ? undefined : answer.layout;
  let given = 0;
  // Stops at the limit without requesting another page, so whether more entries exist stays unknown.
  async function* first({ records }: typeof answer & { readonly kind: 'records' }): AsyncGenerator<JsonObject> {
    for await (const record of records) {
      yield record;
      given += 1;
      if (given >= limit) return;
    }
  }
  const records = first(answer);
  await session.publish({ kind: 'records', records, ...shown, ...defined({ document, layout }) });
  if (given >= limit) await session.note(`Stopped after ${limit} entries. For more, use --limit N or --all.\n`);
}
