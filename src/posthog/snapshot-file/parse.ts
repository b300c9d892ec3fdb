/** Reads a snapshot file. A file that was cut, edited, or written by another major version is refused. */

import { FlagwrightError, type ErrorDetails } from '../../base/errors.ts';
import { validateSnapshot } from '../../base/generated/snapshot-validators.ts';
import { parseJson, stringifyJson } from '../../base/json-text.ts';
import { isJsonObject, nestsWithin, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { fingerprintOf } from '../../engine/plan-document.ts';
import type { Progress } from '../../rollout/rollout.ts';
import type { EarlierBase } from '../../engine/base.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import type { ScheduledChange } from '../flag/schedules.ts';
import type { LiveState } from '../live.ts';
import { parseFamilies, SECTIONS } from './families.ts';
import { SNAPSHOT_FORMAT_VERSION, type SavedSnapshot } from './snapshot-file.ts';

export interface ReadSnapshot extends SavedSnapshot {
  readonly fingerprint: string;
}

/** Deeper than any answer of the service. */
const DEEPEST_NESTING = 600;

/** @throws {FlagwrightError} `snapshot_invalid` when the text is no whole, unedited snapshot of this format version. */
export function parseSnapshot(text: string): ReadSnapshot {
  if (text.trim() === '') throw invalid('It is an empty file.');
  let document: JsonValue;
  try {
    document = parseJson(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw invalid('The file is not complete JSON.', { cause });
  }
  if (!isJsonObject(document) || !nestsWithin(document, DEEPEST_NESTING))
    throw invalid('It is not a flagwright snapshot.');

  const { format_version: version, fingerprint, ...rest } = document;
  if (document['kind'] !== 'snapshot')
    throw invalid(`It is ${isPlan(document) ? 'a plan' : 'not a flagwright snapshot'}.`);
  if (version !== SNAPSHOT_FORMAT_VERSION) {
    const quoted = typeof version === 'string' ? stringifyJson(version.slice(0, 20)) : 'null';
    throw invalid(`It has format version ${quoted}, and this flagwright reads ${SNAPSHOT_FORMAT_VERSION}.`);
  }
  if (fingerprint !== fingerprintOf({ ...rest, format_version: version }))
    throw invalid('Its content does not match its fingerprint: the file was edited or truncated.');
  if (!validateSnapshot(document) || !hasEachIdOnce(document)) throw invalid('It is not a flagwright snapshot.');
  return toSnapshot(document as unknown as Document);
}

function isPlan(document: JsonObject): boolean {
  return Object.hasOwn(document, 'changes') && Object.hasOwn(document, 'summary');
}

/** A file written by hand may have a valid fingerprint. */
function hasEachIdOnce(document: JsonObject): boolean {
  return SECTIONS.every((section) => {
    const ids = ((document[section] ?? []) as unknown as readonly { readonly id: number }[]).map(({ id }) => id);
    return new Set(ids).size === ids.length;
  });
}

/** Follows the schema, apart from the members of families. */
interface Document {
  readonly project: ProjectIdentity;
  readonly taken_at: string;
  readonly base?: string;
  readonly earlier?: readonly EarlierBase[];
  readonly rollouts?: readonly Progress[];
  readonly roles: Readonly<Record<string, string>>;
  readonly role_access: LiveState['roleAccess'];
  readonly schedules?: readonly ScheduledChange[];
  readonly organization?: {
    readonly role_names: Readonly<Record<string, string>>;
    readonly lacks_role_access: boolean;
  };
  readonly fingerprint: string;
}

function toSnapshot(document: Document): ReadSnapshot {
  const { project, base, earlier, rollouts, roles, schedules, organization, fingerprint } = document;
  return {
    project,
    takenAt: document.taken_at,
    ...defined({ base, earlier, rollouts }),
    roles,
    live: {
      ...parseFamilies(document as unknown as JsonObject),
      hasPayloadDigests: true,
      roleAccess: document.role_access,
      ...defined({
        organization: organization && {
          roleNames: organization.role_names,
          lacksRoleAccess: organization.lacks_role_access,
        },
        schedules,
      }),
    },
    fingerprint,
  };
}

function invalid(why: string, details: Pick<ErrorDetails, 'cause'> = {}): FlagwrightError {
  return new FlagwrightError('snapshot_invalid', `The snapshot cannot be used. ${why}`, {
    remedy: 'Take a new one with `flagwright snapshot --out FILE`.',
    ...details,
  });
}
