/** Flags, as editing sees them. */

import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import { layerDeclaration } from '../../manifest/layers.ts';
import type { DeclaredFlag, DesiredFlag } from '../../posthog/desired.ts';
import { memberPointer, toFields } from '../../posthog/flag/manifest/fields.ts';
import { readReference } from '../../posthog/flag/model/cohort-filters.ts';
import { comparableDeclaration } from '../../posthog/flag/parity-values.ts';
import { cohortValues, namedFlags } from '../../posthog/flag/model/references.ts';
import type { FlagEdit } from '../edit.ts';
import type { EditFacet, ValueIn } from '../facet.ts';
import { EDITED } from '../kinds.ts';
import { namesOfCohorts } from '../promotion.ts';
import { layerAt, type WrittenAt } from '../texts.ts';
import { FLAG_DECLARING } from './declare.ts';
import { flagFromLive, isFlagSelected, omittedChanges } from './from-live.ts';
import { flagFromSource, flagSources, isOfFlagPart } from './from-source.ts';
import { isFlagWritten } from './is-written.ts';
import { writeFlagEdit } from './write.ts';

export const FLAG_FACET: EditFacet<FlagEdit, DesiredFlag> = {
  kind: EDITED.flags,

  write: writeFlagEdit,
  hasFallback: ({ fields }, { code }) =>
    fields?.['filters'] !== undefined && (code === 'invalid' || code === 'not-expressible'),
  isWritten: isFlagWritten,
  placeOf: flagPlace,

  fromLive: flagFromLive,
  leftOut: omittedChanges,
  isSelected: isFlagSelected,
  hasWholeFields: false,

  sources: flagSources,
  fromSource: flagFromSource,
  needs: ({ fields: { filters } }, from) => [
    ...namedFlags(filters),
    ...namesOfCohorts(cohortValues(filters).map(readReference), from),
  ],
  hasPart: () => true,
  isOfPart: isOfFlagPart,
  comparableValuesOf: ({ fields, roles, everyone }, from) => {
    const level = everyone === undefined ? undefined : { level: everyone };
    return comparableDeclaration({ fields, ...defined({ roleAccess: roles, everyone: level }) }, from);
  },

  declare: FLAG_DECLARING,
};

function flagPlace(flag: DesiredFlag, { path, declaration, project }: ValueIn): WrittenAt {
  if (flag.kind === 'retired') return { place: placeAt(flag.places, '/deleted') };
  const field = fromPointer(path)[0] ?? '';
  if (field === 'role_access') return accessPlace(flag, path);
  if (field === 'key') return { place: flag.places.place };
  if (!Object.hasOwn(flag.fields, field)) return {};
  const layer = layerDeclaration(declaration, project.name, EDITED.flags.layering);
  const origin = layer.pathOf(memberPointer(layer, path));
  return { place: placeAt(toFields(layer).places, path), layer: layerAt(origin, declaration) };
}

function accessPlace(flag: DeclaredFlag, path: string): WrittenAt {
  const [, kind, role] = fromPointer(path);
  const named = flag.roleAccess?.find(({ id, name }) => id === role || name === role);
  const place =
    kind === 'default' ? flag.everyone?.place : (named?.place ?? flag.places.children?.['role_access']?.place);
  return defined({ place });
}
