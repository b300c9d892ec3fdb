/** Where manifests write a value of a flag or cohort for a project: the place, and the layer. */

import { fromPointer } from '../base/json-pointer.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type Place } from '../base/place.ts';
import { layerDeclaration } from '../manifest/layers.ts';
import type { DeclaredFlag } from '../posthog/desired.ts';
import type { DesiredCohort } from '../posthog/cohort/desired.ts';
import { memberPointer, toFields } from '../posthog/flag/manifest/fields.ts';
import type { Project } from '../posthog/project.ts';
import { sectionOf } from './sections.ts';
import type { DeclaredIn, ReadTexts } from './texts.ts';
import { readName } from '../posthog/resource-name.ts';

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
  const { flags, cohorts = [] } = read.resolve(project).desired;
  const declaration = read.declarations.get(key);
  if (declaration === undefined) return {};
  const named = readName(key);
  if (named.kind === 'cohort') {
    const cohort = cohorts.find((one) => one.key === named.key);
    return cohort === undefined ? {} : cohortPlace(cohort, { declaration, path, project });
  }
  const flag = flags.find((one) => one.key === key);
  if (flag === undefined) return {};
  if (flag.kind === 'retired') return { place: placeAt(flag.places, '/deleted') };
  const field = fromPointer(path)[0] ?? '';
  if (field === 'role_access') return accessPlace(flag, path);
  if (!Object.hasOwn(flag.fields, field)) return {};
  const layer = layerDeclaration(declaration, project.name, sectionOf(declaration).prepareLayers);
  const origin = layer.pathOf(memberPointer(layer, path));
  return { place: placeAt(toFields(layer).places, path), layer: layerAt(origin, declaration) };
}

interface CohortValue {
  readonly declaration: DeclaredIn;
  readonly path: string;
  readonly project: Project;
}

function cohortPlace(cohort: DesiredCohort, { declaration, path, project }: CohortValue): WrittenAt {
  const layer = layerDeclaration(declaration, project.name, sectionOf(declaration).prepareLayers);
  const pointer = cohort.kind === 'retired' ? '/deleted' : path;
  if (!Object.hasOwn(layer.value, fromPointer(pointer)[0] ?? '')) return {};
  return { place: placeAt(layer.places, pointer), layer: layerAt(layer.pathOf(pointer), declaration) };
}

function layerAt(origin: string, { path }: DeclaredIn): 'base' | 'project' {
  return origin.startsWith(`${path}/projects/`) ? 'project' : 'base';
}

function accessPlace(flag: DeclaredFlag, path: string): WrittenAt {
  const [, kind, role] = fromPointer(path);
  const named = flag.roleAccess?.find(({ id, name }) => id === role || name === role);
  const place =
    kind === 'default' ? flag.everyone?.place : (named?.place ?? flag.places.children?.['role_access']?.place);
  return defined({ place });
}
