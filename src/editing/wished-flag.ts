/** A flag as a wish has it, and whether declared fields mean the same: by the comparison of plans. */

import { isJsonObject, type JsonObject } from '../base/json.ts';
import { comparableFlag, compareFields } from '../posthog/flag/comparison.ts';
import { withDeclaredSecrecy } from '../posthog/flag/encrypted-payloads.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { withCommonAggregation } from '../posthog/flag/forms.ts';
import { membersIn } from '../manifest/declaration.ts';
import { layerDeclaration } from '../manifest/layers.ts';
import { toFields } from '../posthog/flag/manifest/fields.ts';
import { FLAG_SECTION } from '../posthog/flag/manifest/section.ts';
import type { EditingContext } from './context.ts';
import type { FlagWish } from './wish.ts';

export interface WishedFlag {
  readonly flag: Flag;
  /** Whether a plan has nothing to change in these fields, by API name. */
  readonly isMet: (fields: JsonObject) => boolean;
}

export function wishedFlag(context: EditingContext, { key, fields = {} }: FlagWish): WishedFlag {
  const { flags } = context.snapshot;
  const live = flags.byKey(key);
  const flag = withDeclaredSecrecy<Flag>({ id: 0, ...live, key, ...fields }, declaredFields(context, key));
  const comparable = comparableFlag(flag, flags);
  return { flag, isMet: (declared) => compareFields(completed(declared), comparable, flags).length === 0 };
}

function declaredFields({ read, project }: EditingContext, key: string): JsonObject {
  const declaration = read.declarations.get(key);
  if (declaration === undefined || !isJsonObject(membersIn(declaration))) return {};
  return toFields(layerDeclaration(declaration, project.name, FLAG_SECTION.prepareLayers)).fields;
}

/** As a plan completes what a manifest implies. */
function completed(fields: JsonObject): JsonObject {
  const { filters } = fields;
  return isJsonObject(filters) ? { ...fields, filters: withCommonAggregation(filters) } : fields;
}
