/** Decides what to write for each flag: which projects it is declared for, and the overlay of the merged one. */

import type { JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { MemberEdit } from '../../base/yaml/editing/edits.ts';
import { matchResources } from '../../engine/match.ts';
import { membersIn } from '../../manifest/declaration.ts';
import { writeFlag, type FiltersForm } from '../../posthog/flag/layout/flag.ts';
import { writeAccess } from '../../posthog/flag/layout/access.ts';
import { lookupNames, type NameLookup } from '../../posthog/names.ts';
import type { HeldAccess } from '../../posthog/role-access/access.ts';
import { heldFor } from '../../export/access.ts';
import { findDifferences } from '../compare.ts';
import { overlayEdits } from '../overlay.ts';
import type { ReadTexts } from '../texts.ts';
import type { Context, Decisions } from './context.ts';
import { extendEdit, limitEdit } from './membership.ts';
import type { NotMergedReason } from './not-merged.ts';

interface Membership {
  readonly edits: readonly MemberEdit[];
  readonly limited: readonly string[];
  readonly failed: ReadonlyMap<string, NotMergedReason>;
  readonly unnamed: ReadonlySet<string>;
}

export function decideMembership(context: Context, { excluded }: Decisions): Membership {
  const { read, project, allProjects, live, snapshot, isSelected } = context;
  const { desired } = read.resolve(project);
  const matches = matchResources(desired.flags, snapshot.flags, {
    ...defined({ namedElsewhere: desired.namedElsewhere?.flags, traces: live.traces?.flags }),
  });
  const edits: MemberEdit[] = [];
  const limited: string[] = [];
  const failed = new Map<string, NotMergedReason>();
  const isOpen = (key: string): boolean => isSelected(key) && !excluded.has(key);
  for (const { desired: wanted, live: flag } of matches.pairs.filter((pair) => isOpen(pair.desired.key))) {
    const exists = flag !== undefined && flag.deleted !== true;
    if (wanted.kind === 'retired') {
      if (exists) failed.set(wanted.key, 'declared-deleted');
    } else if (exists) {
      if (flag.key !== wanted.key) failed.set(wanted.key, 'renamed');
    } else {
      const declaration = read.declarations.get(wanted.key);
      const edit = declaration && limitEdit(declaration, project.name, allProjects);
      if (edit === undefined) failed.set(wanted.key, 'declared-only-here');
      else {
        edits.push(edit);
        limited.push(wanted.key);
      }
    }
  }
  for (const { key } of matches.namedElsewhere.filter((flag) => isOpen(flag.key))) {
    const declaration = read.declarations.get(key);
    if (declaration === undefined) failed.set(key, 'renamed');
    else edits.push(extendEdit(declaration, project.name));
  }
  const unnamed = new Set(matches.unmanaged.map(({ key }) => key).filter(isSelected));
  return { edits, limited, failed, unnamed };
}

interface Overlays {
  readonly edits: readonly MemberEdit[];
  readonly keys: readonly string[];
  readonly targeted: ReadonlySet<string>;
}

export function decideOverlays(
  context: Context,
  { declared, decisions }: { readonly declared: ReadTexts; readonly decisions: Decisions },
): Overlays {
  const { project, live, isSelected } = context;
  const names = lookupNames(live.flags, project);
  const edits: MemberEdit[] = [];
  const targeted = new Set<string>();
  const keys: string[] = [];
  for (const [key, { flag, differing }] of findDifferences(context, declared)) {
    const declaration = declared.declarations.get(key);
    if (!isSelected(key) || decisions.excluded.has(key) || declaration === undefined) continue;
    const form: FiltersForm = decisions.unchecked.has(key) ? 'unchecked' : 'checked';
    const base = membersIn(declaration);
    const exported = {
      ...writeFlag(flag, { form, access: undefined, names, minimal: false }),
      ...accessLike(base, heldFor(flag, live), names),
    };
    edits.push(...overlayEdits({ key, project: project.name, declared: base, exported, differing }));
    keys.push(key);
    if (differing.has('filters')) targeted.add(key);
  }
  return { edits, keys, targeted };
}

/** Access in the form of the base, where that can say it. */
function accessLike(base: JsonObject, held: HeldAccess | undefined, names: NameLookup): JsonObject {
  if (held === undefined) return {};
  const hasLevels = Object.hasOwn(base, 'access');
  const written = writeAccess(held, { names, minimal: !hasLevels });
  return Object.keys(written).length === 0 ? { role_access: [] } : written;
}
