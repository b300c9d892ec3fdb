/** Decides whether a flag can be declared with another key, and what to write by hand if it cannot. */

import { compareStrings } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import { objectOrEmpty } from '../../base/json.ts';
import type { Place } from '../../base/place.ts';
import { membersIn } from '../../manifest/declaration.ts';
import { stringsOf } from '../../manifest/members.ts';
import { namedFlags } from '../../posthog/flag/model/references.ts';
import { layerOf, type Editing, type LayerMembers } from '../choose-layer.ts';
import type { EditingContext } from '../context.ts';
import type { FileEdit, KeyUse } from '../edit.ts';
import { EDITED } from '../kinds.ts';
import { orderedEdit, type DeclaredIn } from '../texts.ts';

export interface Renaming extends Editing {
  readonly declaration: DeclaredIn;
  readonly renamed: string;
}

export interface UsedKey {
  readonly use: KeyUse;
  /** The place of the use. */
  readonly place: Place;
  /** Edits to make by hand. */
  readonly edits: readonly FileEdit[];
}

/** `undefined`: only the declaration uses the key. */
export function findKeyUse(renaming: Renaming, context: EditingContext): UsedKey | undefined {
  const { declaration, renamed, others, layer } = renaming;
  const { key, places } = declaration;
  const taken = context.read.declarations.get(renamed);
  if (taken !== undefined) return { use: { by: 'declaration' }, place: taken.places.place, edits: [] };
  // In the layer of the base, every project gets the new key.
  const states = (layer === 'base' ? context.projects : [context.project]).map(
    (project) => context.read.resolve(project).desired,
  );
  const dependents = states
    .flatMap(EDITED.flags.desired)
    .filter((flag) => flag.kind === 'declared' && namedFlags(flag.fields['filters']).includes(key));
  const [dependent] = dependents;
  if (dependent !== undefined) {
    return { use: { by: 'flags', names: keysOf(dependents) }, place: dependent.places.place, edits: [] };
  }
  const features = states.flatMap(EDITED.early_access.desired).filter(({ flag }) => flag === key);
  const [feature] = features;
  if (feature !== undefined) {
    const names = keysOf(features).map(EDITED.early_access.nameOf);
    return { use: { by: 'features', names }, place: feature.places.place, edits: [] };
  }
  const lists = context.read.roleLists.filter(({ value }) => stringsOf(value).includes(key));
  const [list] = lists;
  if (list !== undefined) {
    return { use: { by: 'roles', names: keysOf(lists) }, place: list.places.place, edits: [] };
  }
  if (layer === 'base' || isApart(renaming)) return undefined;
  const names = others.toSorted(compareStrings);
  if (names.length === 0) return undefined;
  return { use: { by: 'projects', names }, place: places.place, edits: splitEdits(renaming, membersIn(declaration)) };
}

/** Whether the project gets its own declaration, since others keep the key. */
export function isApart({ others, layer }: Editing): boolean {
  return others.length > 0 && layer === 'project';
}

function keysOf(named: readonly { readonly key: string }[]): string[] {
  return [...new Set(named.map(({ key }) => key))].toSorted(compareStrings);
}

/** The other projects keep the declaration; this one gets its own, with what these members declare for it. */
export function splitEdits(renaming: Renaming, members: LayerMembers): FileEdit[] {
  const { declaration, renamed, project, others } = renaming;
  const { file, key } = declaration;
  const { value } = layerOf(members, renaming);
  const former = stringsOf(value['previous_keys'] ?? membersIn(declaration)['previous_keys']).filter(
    (one) => one !== renamed && one !== key,
  );
  const schema = defined({ payload_schema: members['payload_schema'] });
  const own = { ...value, ...schema, previous_keys: [...former, key], only_in: [project] };
  const overlays = Object.keys(objectOrEmpty(membersIn(declaration)['projects']));
  const overlay = overlays.length > 1 ? ['projects', project] : ['projects'];
  return [
    { file, edit: { path: [EDITED.flags.section, key, 'only_in'], value: others } },
    ...(overlays.includes(project)
      ? [{ file, edit: { path: [EDITED.flags.section, key, ...overlay] as const, value: undefined } }]
      : []),
    { file, edit: orderedEdit({ path: [EDITED.flags.section, renamed], value: own }) },
  ];
}
