/** Publishes the result of a resource command as a report. Lists are streamed. */

import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { PublishHooks } from '../session/publish.ts';
import type { Session } from '../session/session.ts';
import type { ResourceAnswer } from './command.ts';

export interface Columns {
  readonly columns: readonly string[];
  readonly allColumns?: readonly string[];
  /** The user chose them. */
  readonly chosen?: true;
}

export async function publishAnswer(
  session: Session,
  answer: ResourceAnswer,
  { columns, hooks }: { readonly columns: Columns; readonly hooks: PublishHooks },
): Promise<void> {
  if (answer.kind !== 'records') return session.publish(answer, hooks);
  const { limit = Infinity, document } = answer;
  const { chosen, ...shown } = columns;
  const layout = chosen === true ? undefined : answer.layout;
  const cut = first(answer.records, limit);
  await session.publish({ kind: 'records', records: cut.records, ...shown, ...defined({ document, layout }) }, hooks);
  if (cut.wasCut()) await session.note(`Stopped after ${limit} entries. For more, use --limit N or --all.\n`);
}

interface Cut {
  readonly records: AsyncIterable<JsonObject>;
  readonly wasCut: () => boolean;
}

/** Stops at the limit without requesting another page, so whether more entries exist stays unknown. */
function first(records: AsyncIterable<JsonObject> | Iterable<JsonObject>, limit: number): Cut {
  let given = 0;
  return {
    records: (async function* () {
      for await (const record of records) {
        yield record;
        given += 1;
        if (given >= limit) return;
      }
    })(),
    wasCut: () => given >= limit,
  };
}
