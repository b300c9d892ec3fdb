/** Where manifests write a value of a flag for a project: the place, and the layer. */

import { fromPointer } from '../base/json-pointer.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type Place } from '../base/place.ts';
import { layerDeclaration } from '../manifest/layers.ts';
import type { DeclaredFlag } from '../posthog/desired.ts';
import { memberPointer, toFields } from '../posthog/flag/manifest/fields.ts';
import { FLAG_SECTION } from '../posthog/flag/manifest/section.ts';
import type { Project } from '../posthog/project.ts';
import type { ReadTexts } from './texts.ts';

export interface WrittenAt {
  /** Absent where no manifest writes it. */
  readonly place?: Place;
  /** `project`: in the project's overlay. Absent for access, which has no single place. */
  readonly layer?: 'base' | 'project';
}

/** `path`: JSON pointer in the API's field names; `/role_access/roles/ROLE` and `/role_access/default` for access. */
export function writtenAt(
  { key, path }: { readonly key: string; readonly path: string },
  read: ReadTexts,
  project: Project,
): WrittenAt {
  const flag = read.resolve(project).desired.flags.find((one) => one.key === key);
  const declaration = read.declarations.get(key);
  if (flag === undefined || declaration === undefined) return {};
  if (flag.kind === 'retired') return { place: placeAt(flag.places, '/deleted') };
  const field = fromPointer(path)[0] ?? '';
  if (field === 'role_access') return accessPlace(flag, path);
  if (!Object.hasOwn(flag.fields, field)) return {};
  const layer = layerDeclaration(declaration, project.name, FLAG_SECTION.prepareLayers);
  const origin = layer.pathOf(memberPointer(layer, path));
  const isOverlay = origin.startsWith(`${declaration.path}/projects/`);
  return { place: placeAt(toFields(layer).places, path), layer: isOverlay ? 'project' : 'base' };
}

function accessPlace(flag: DeclaredFlag, path: string): WrittenAt {
  const [, kind, role] = fromPointer(path);
  const named = flag.roleAccess?.find(({ id, name }) => id === role || name === role);
  const place =
    kind === 'default' ? flag.everyone?.place : (named?.place ?? flag.places.children?.['role_access']?.place);
  return defined({ place });
}
