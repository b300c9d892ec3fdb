/** Whether an apply may record its commit: what is recorded moves forward only, unless the run says otherwise. */

import { jsonEquals, type JsonValue } from '../../base/json.ts';
import type { BaseFacts, EarlierBase, NotRecordedReason } from '../../engine/base.ts';
import { contains } from '../../git/ancestry.ts';
import { deepen, resolveName } from '../../git/refs.ts';
import { findRef, readAt, type InRepository } from './find-record.ts';

export interface Recordable {
  readonly commit: string;
  readonly earlier: readonly EarlierBase[];
  /** The plan leaves something, as drift or as pending. */
  readonly leaves: boolean;
  /** The base of the plan. */
  readonly base: BaseFacts | undefined;
  readonly ref: string;
  /** The remote that shares the record. */
  readonly remote: string | undefined;
  /** The run says so. */
  readonly moves: boolean;
}

export type Permission =
  | {
      readonly kind: 'allowed';
      /** The commits that the ref names in this clone, and in the remote. */
      readonly local: string | undefined;
      readonly shared: string | undefined;
      /** The record is the same already. */
      readonly isSame: boolean;
    }
  | { readonly kind: 'refused'; readonly reason: NotRecordedReason };

export async function mayRecord(recordable: Recordable, within: InRepository): Promise<Permission> {
  const { commit, earlier, ref, remote, moves } = recordable;
  const found = await findRef(ref, remote === undefined ? [] : [remote], within);
  const unread = found.kind === 'none' ? undefined : found.unread;
  if (unread !== undefined) return refused({ code: 'remote_unreachable', ...unread });
  const local = await resolveName(within.repository, ref);
  const shared = found.kind === 'found' && found.remote !== undefined ? found.id : undefined;
  if (found.kind !== 'found') return { kind: 'allowed', local, shared, isSame: false };
  const record = await readAt(found.id, within);
  if (record.kind === 'nothing') return { kind: 'allowed', local, shared, isSame: false };
  if (record.kind !== 'commit') {
    return moves
      ? { kind: 'allowed', local, shared, isSame: false }
      : refused({ code: 'record_unreadable', name: ref });
  }
  const isSame = record.commit === commit && isEqual(record.earlier, earlier);
  const reason = isSame ? undefined : await whyNot(recordable, record, within);
  return reason === undefined ? { kind: 'allowed', local, shared, isSame } : refused(reason);
}

function refused(reason: NotRecordedReason): Permission {
  return { kind: 'refused', reason };
}

interface Current {
  readonly commit: string;
  readonly earlier: readonly EarlierBase[];
}

async function whyNot(
  { commit, leaves, base, remote, moves }: Recordable,
  current: Current,
  within: InRepository,
): Promise<NotRecordedReason | undefined> {
  const isKnown = base?.kind === 'commit' && base.from !== 'option' && isComparedWith(base, current);
  const contained = moves ? 'yes' : await isContained(current.commit, { commit, remote }, within);
  if (contained === 'yes') {
    // Comparing with another base decided which differences are drift and which are pending.
    return !leaves || isKnown ? undefined : { code: 'compared_otherwise', commit: current.commit };
  }
  if (contained === 'unknown') return { code: 'history_missing', commit: current.commit };
  const isOfLater = !isKnown && (base === undefined ? false : wasRecorded(base));
  return { code: isOfLater ? 'newer_applied' : 'not_contained', commit: current.commit };
}

function isComparedWith(base: Extract<BaseFacts, { readonly kind: 'commit' }>, current: Current): boolean {
  return base.commit === current.commit && isEqual(base.earlier ?? [], current.earlier);
}

/** Whether the plan knew what was applied last then. */
function wasRecorded(base: BaseFacts): boolean {
  return base.kind === 'commit' ? base.from === 'ref' : base.reason.code === 'not_recorded';
}

/** Gets some more of the history of a shallow clone, if its remote is known. */
async function isContained(
  earlier: string,
  { commit: later, remote }: Pick<Recordable, 'commit' | 'remote'>,
  { repository }: InRepository,
): ReturnType<typeof contains> {
  const found = await contains(repository, { earlier, later });
  if (found !== 'unknown' || remote === undefined || earlier === later) return found;
  const run = await deepen(repository, remote, [later, earlier]);
  return run.kind === 'done' ? contains(repository, { earlier, later }) : found;
}

function isEqual(a: readonly EarlierBase[], b: readonly EarlierBase[]): boolean {
  return jsonEquals(a as unknown as JsonValue, b as unknown as JsonValue);
}
