/**
 * Finds who changed a flag from the activity log and from recorded runs: it compares log entries as changes in comparable form.
 * (docs/service.md, "Activity")
 */

import { jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { FieldChange } from '../../core/engine/change.ts';
import { diff, type Difference } from '../../core/engine/diff.ts';
import { indexResources, type KeysAfterPlan } from '../../core/engine/snapshot.ts';
import type { Attribution, Attributions, KnownAttribution } from '../authors/attribution.ts';
import type { EditedChange, LoggedInquiry } from '../reading/read-attributions.ts';
import type { LiveState } from '../live.ts';
import { type LogEntry, parseLog } from '../authors/log-entry.ts';
import type { Plan } from '../plan.ts';
import { type Logged, placeFields, type SoughtValue } from '../authors/replay-log.ts';
import { revertedValues, type TurnedOff, type TurnedOffFlags } from './snapshot.ts';
import { canonicalFlag } from './model/canonical.ts';
import type { FlagChange } from './change.ts';
import { comparableFlag } from './comparison.ts';
import { withPayloadDigests } from './model/encrypted-payloads.ts';
import type { Flag } from './model/flag.ts';

/** One inquiry for each flag, even if it has two changes. */
export function inquireFlags(edits: readonly EditedChange<FlagChange>[], live: LiveState): readonly LoggedInquiry[] {
  const names = indexResources(live.flags);
  const byFlag = new Map<Flag, Map<string, readonly SoughtValue[]>>();
  for (const { change, fields } of edits) {
    // A declared flag that was deleted or renamed in the service is known by its trace.
    const trace = live.traces?.flags?.find((one) => one.kind === 'former' && one.key === change.key);
    const former = trace?.kind === 'former' ? live.flags.find(({ id }) => id === trace.id) : undefined;
    const flag = change.action === 'create' ? former : names.byId(change.id);
    if (flag === undefined) continue;
    const sought =
      change.action === 'create'
        ? [{ path: '', place: [flag.deleted === true ? 'deleted' : 'key'] }]
        : soughtIn(fields, { flag, names, body: change.body });
    byFlag.set(flag, (byFlag.get(flag) ?? new Map<string, readonly SoughtValue[]>()).set(change.ref, sought));
  }
  return [...byFlag].map(([flag, sought]) => ({ logged: loggedFlag(flag, names), sought }));
}

export function loggedFlag(flag: Flag, names: KeysAfterPlan): Logged {
  const secrecy = defined({ has_encrypted_payloads: flag['has_encrypted_payloads'] });
  return {
    resource: 'flag',
    id: flag.id,
    current: comparableFlag(flag, names),
    formOf: (field, value) => comparableFlag({ ...secrecy, [field]: value } as unknown as Flag, names),
    isLater: ({ version }) => version !== undefined && typeof flag.version === 'number' && version > flag.version,
    unlogged: UNLOGGED,
  };
}

/** The service stores them after it wrote the entry. */
const UNLOGGED: ReadonlySet<string> = new Set(['tags', 'evaluation_tags']);

/** The places of a change's fields in its live flag. `body`: of the change, whose lists are the wanted ones. */
export function soughtIn(
  fields: readonly FieldChange[],
  { flag, names, body }: { readonly flag: Flag; readonly names: KeysAfterPlan; readonly body: JsonObject },
): readonly SoughtValue[] {
  return placeFields(fields, {
    live: comparableFlag(flag, names),
    wanted: comparableFlag({ ...flag, ...body }, names),
  });
}

/**
 * Names the recorded runs of `off` as authors of differences: the journal knows what the log may not. An entry of the log by another author
 * has priority.
 */
export function withTurnedOff(
  attributions: Attributions,
  { changes }: Pick<Plan, 'changes'>,
  turnedOff: TurnedOffFlags = new Map(),
): Attributions {
  const found = new Map(attributions);
  for (const change of changes) {
    const off = change.resource === 'flag' && change.id !== undefined ? turnedOff.get(change.id) : undefined;
    if (off === undefined || !('fields' in change)) continue;
    const own = new Map(found.get(change.ref));
    for (const { path } of revertedValues(change.fields, off)) own.set(path, attributionOf(own.get(path), off));
    if (own.size > 0) found.set(change.ref, own);
  }
  return found;
}

function attributionOf(logged: Attribution | undefined, off: TurnedOff): KnownAttribution {
  const { run, at, by, reason } = off;
  const facts = { run, off: defined({ reason }) };
  if (logged?.kind !== 'known') return { kind: 'known', ...defined({ by }), at, via: 'apply', ...facts };
  return logged.run === run ? { ...logged, ...facts } : logged;
}

/**
 * The changes in an entry of the activity log: field by field, and condition by condition if it has whole filters. `isOpen`: whether the
 * payloads of the flag are known not to be secret; digests stand for any others. The counter of updates is left out, since each update
 * changes it. `entry`: absent if the answer is not a known one.
 */
export function readEdit(
  answered: JsonObject,
  isOpen: boolean,
): { readonly entry?: LogEntry; readonly differences: readonly Difference[] } {
  const [entry] = parseLog([answered]);
  if (entry === undefined) return { differences: [] };
  const shown = (field: string, value: JsonValue): JsonObject => {
    const form = canonicalFlag({ [field]: value });
    return isOpen ? form : withPayloadDigests(form);
  };
  const differences = [...entry.changes].flatMap(([field, { before, after }]): Difference[] => {
    if (field === 'version') return [];
    const found = diff(shown(field, before), shown(field, after));
    // A difference that the canonical form omits is a change too.
    return found.length > 0 || jsonEquals(before, after) ? found : [{ path: `/${field}`, before, after }];
  });
  return { entry, differences };
}
