/** Reads who has access to the wanted flags: by subject where that takes fewer requests, and what then differs flag by flag. */

import { defined } from '../../base/optional.ts';
import type { ServiceClient } from '../client/client.ts';
import { ServiceError } from '../client/errors.ts';
import type { Flag } from '../flag/flag.ts';
import type { LiveState } from '../live.ts';
import type { ExpectedAccess, WantedAccess } from '../wanted.ts';
import { wireOfAll, type Wire } from './access.ts';
import { listEntries, listLevels, type AccessBySubject } from './by-subject.ts';
import { isAsExpected } from './expected.ts';
import { markLocked } from './locked-rules.ts';
import { isOutOfReach, openOrganization, type OpenOrganization } from './organization.ts';
import { readAccess, selectAccess } from './read.ts';

/** The lists by subject are out of reach, so that each flag takes a request. */
export interface UnlistedAccess {
  readonly refusal: ServiceError;
  readonly flags: number;
}

export type OnUnlisted = (unlisted: UnlistedAccess) => void;

/**
 * With what the organisation says about access, where that is wanted. A flag whose access the lists show to be as declared takes no
 * request of its own; any other is read by itself, with all that warnings, hazards and writes need.
 */
export async function readWantedAccess(
  client: ServiceClient,
  flags: readonly Flag[],
  {
    wanted = {},
    onUnlisted,
  }: { readonly wanted: WantedAccess | undefined; readonly onUnlisted: OnUnlisted | undefined },
): Promise<Pick<LiveState, 'roleAccess' | 'organization'>> {
  const wire = wireOfAll(flags);
  const opening =
    wanted.organization === true && wire !== 'entries'
      ? orRefusal(openOrganization(client))
      : Promise.resolve(undefined);
  const expected = findExpected(flags, wanted);
  const listing = listBySubject(client, { wire, opening, flags: expected.size });
  const [opened, listed] = await Promise.all([opening, listing]);
  if (listed instanceof ServiceError) onUnlisted?.({ refusal: listed, flags: expected.size });
  const organization = opened instanceof ServiceError ? undefined : opened?.organization;
  const lacksRoleAccess = organization?.lacksRoleAccess === true;
  const known = selectAccess(flags, wanted).map((flag) => {
    const declared = expected.get(flag.id);
    const held = declared === undefined || typeof listed !== 'function' ? undefined : listed(flag.id);
    const isKnown = held !== undefined && declared?.every((one) => isAsExpected(one, held, lacksRoleAccess)) === true;
    return { flag, held: isKnown ? held : undefined };
  });
  client.budget.announce('getAccess', known.filter(({ held }) => held === undefined).length);
  const read = known.map(
    async ({ flag, held }) => [String(flag.id), held ?? (await readAccess(client, flag))] as const,
  );
  const roleAccess = await markLocked(client, Object.fromEntries(await Promise.all(read)));
  return { roleAccess, ...defined({ organization }) };
}

/** By flag id. A key and a former key may name the same flag: its access must then be as both declare. */
function findExpected(
  flags: readonly Flag[],
  { expected = [] }: WantedAccess,
): ReadonlyMap<number, readonly ExpectedAccess[]> {
  const byKey = new Map<string, ExpectedAccess[]>();
  for (const one of expected) for (const key of one.keys) byKey.set(key, [...(byKey.get(key) ?? []), one]);
  return new Map(
    flags.flatMap(({ id, key }): [number, readonly ExpectedAccess[]][] => {
      const own = byKey.get(key);
      return own === undefined ? [] : [[id, own]];
    }),
  );
}

interface RoleListing {
  readonly wire: Wire | undefined;
  readonly opening: Promise<OpenOrganization | ServiceError | undefined>;
  /** How many flags the lists may spare a request. */
  readonly flags: number;
}

/** So few flags take no more requests than the lists of an organisation with one member and no role. */
const FEW_FLAGS = 3;

async function listBySubject(
  client: ServiceClient,
  { wire, opening, flags }: RoleListing,
): Promise<AccessBySubject | ServiceError | undefined> {
  if (flags <= FEW_FLAGS) return undefined;
  if (wire === 'entries') return orRefusal(listEntries(client));
  const opened = await opening;
  return opened === undefined || opened instanceof ServiceError ? opened : orRefusal(listLevels(client, opened, flags));
}

/** A refusal is an answer too; any other error is one. */
async function orRefusal<Answer>(reading: Promise<Answer>): Promise<Answer | ServiceError> {
  try {
    return await reading;
  } catch (error) {
    if (isOutOfReach(error)) return error;
    throw error;
  }
}
