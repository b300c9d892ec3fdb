/** Executes a resource command and prints its result. */

import { FlagwrightError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { docsPage } from '../../base/wording.ts';
import { nameService } from '../../posthog/client/failure-table.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import { escapeLine } from '../../report/escape.ts';
import type { Format } from '../../report/formats/render.ts';
import type { RecordsOrigin } from '../../report/report.ts';
import type { ExitCode } from '../line/exit.ts';
import { loadProject } from '../project/load-project.ts';
import { withProject } from '../project/open-project.ts';
import { toFlagwrightError } from '../session/failure.ts';
import { askForYes, type Session } from '../session/session.ts';
import type { CommandValues, RecordsAnswer, ResourceCommand, ResourceGroup } from './command.ts';

export interface Invocation {
  readonly group: ResourceGroup;
  readonly row: ResourceCommand;
  readonly values: CommandValues;
  /** Of the group: `flags`. */
  readonly name: string;
}

/** The formats that people read. */
const WORDED: ReadonlySet<Format> = new Set(['text', 'table', 'markdown', 'html']);

export async function execute(session: Session, invocation: Invocation): Promise<ExitCode> {
  const { group, row, values, name } = invocation;
  const offline = row.offline?.(values);
  if (offline !== undefined) {
    await publishRecords(session, await offline(session), { row, values, about: { name } });
    return 0;
  }
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
    const { progress, identity } = opened;
    try {
      const client = row.writes === true ? await opened.forWriting() : opened.client;
      const answer = await row.run(client, values);
      const source = { project: identity, at: new Date(session.context.now()).toISOString() };
      const about = { name: row.name === 'list' ? name : `${name} ${row.name}`, source };
      if (answer.kind !== 'records') await session.publish({ ...answer, about });
      else {
        const words = isWorded(session, values) ? (await row.words?.(values))?.(session, opened) : undefined;
        await publishRecords(session, { ...answer, ...defined({ words }) }, { row, values, about });
      }
    } catch (error) {
      throw explain(error, group);
    } finally {
      progress.clear();
    }
  });
  return 0;
}

/** Every format shows the columns that the user chose, as the service has them. */
function isWorded({ options }: Session, values: CommandValues): boolean {
  return values['columns'] === undefined && WORDED.has(options.format);
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
    const remedy = `Check the id and the project. Newer services have removed some operations: ${docsPage('service/persons')}`;
    return worded('service_refused', message, remedy);
  }
  if (failure.kind === 'unexpected_status' && failure.status === 405) {
    const remedy = `This service lacks the operation; PostHog creates persons from events: ${docsPage('service/persons')}`;
    return worded(known.code, known.message, remedy);
  }
  return error;
}

/** Streamed where the format allows it. */
async function publishRecords(
  session: Session,
  answer: RecordsAnswer,
  { row, values, about }: Pick<Invocation, 'row' | 'values'> & { readonly about: RecordsOrigin },
): Promise<void> {
  const { limit = Infinity, document, columns = row.columns ?? [], source } = answer;
  const chosen = values['columns'] as readonly string[] | undefined;
  const words = isWorded(session, values) ? answer.words : undefined;
  const shown = {
    about: { ...about, ...defined({ source }) },
    columns: chosen ?? words?.columns ?? columns,
    ...defined({
      allColumns: chosen === undefined && answer.columns === undefined ? row.csvColumns : undefined,
      layout: chosen === undefined ? (words?.layout ?? answer.layout) : undefined,
    }),
  };
  let given = 0;
  // Stops at the limit without requesting another page, so whether more entries exist stays unknown.
  async function* first(): AsyncGenerator<JsonObject> {
    for await (const record of answer.records) {
      yield words === undefined ? record : await words.of(record);
      given += 1;
      if (given >= limit) return;
    }
  }
  await session.publish({ kind: 'records', records: first(), ...shown, ...defined({ document }) });
  if (given >= limit) await session.note(`Stopped after ${limit} entries. For more, use --limit N or --all.\n`);
}
