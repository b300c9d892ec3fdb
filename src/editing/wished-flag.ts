/** A flag as a wish has it, and whether declared fields mean the same: by the comparison of plans. */

import { fromPointer } from '../base/json-pointer.ts';
import type { JsonObject } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { layerDeclaration } from '../manifest/layers.ts';
import type { DeclaredFlag } from '../posthog/desired.ts';
import { compareFlag } from '../posthog/flag/compare-flag.ts';
import { withDeclaredSecrecy } from '../posthog/flag/encrypted-payloads.ts';
import type { Flag } from '../posthog/flag/flag.ts';
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
  const { read, project, snapshot } = context;
  const live = snapshot.flags.byKey(key);
  const flag = withDeclaredSecrecy<Flag>(
    { id: 0, ...live, deleted: false, key, ...fields },
    declaredFields(context, key),
  );
  const declared = read.resolve(project).desired.flags.find((one) => one.key === key);
  const ownership = declared?.kind === 'declared' ? declared.ownership : undefined;
  return {
    flag,
    isMet: (own) => {
      const place = { file: '', line: 1, column: 1 };
      const desired: DeclaredFlag = {
        kind: 'declared',
        key,
        previousKeys: [],
        fields: own,
        places: { place },
        ...defined({ ownership }),
      };
      const { differences } = compareFlag({ desired, live: flag }, snapshot.flags);
      return !differences.some(({ path }) => Object.hasOwn(own, fromPointer(path)[0] ?? ''));
    },
  };
}

function declaredFields({ read, project }: EditingContext, key: string): JsonObject {
  const declaration = read.declarations.get(key);
  if (declaration === undefined) return {};
  return toFields(layerDeclaration(declaration, project.name, FLAG_SECTION.prepareLayers)).fields;
}
