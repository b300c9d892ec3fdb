/** Which values of a declared early access feature are explained, and their live values. Pure. */

import { fromPointer, toPointer } from '../../base/json-pointer.ts';
import { memberOf } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { explainFields, type ExplainedFamily } from '../declared/explain.ts';
import { canonicalFeature, compareFeature, FIELDS } from './canonical.ts';
import { findByFlag } from './feature.ts';

/** The service records no changes of features, so the author of a value is unknown. */
export const EXPLAINED_FEATURES: ExplainedFamily<'early_access'> = {
  values: (_feature, { declaration, project, ...path }) =>
    explainFields(declaration, project, {
      partsOf: (fields) => FIELDS.flatMap((field) => ((fields[field] ?? null) === null ? [] : toPointer([field]))),
      ...path,
    }),
  live: ({ flag }, declared, live) => {
    const feature = findByFlag(flag, live);
    if (feature === undefined) return undefined;
    const held = canonicalFeature(feature);
    const wanted = new Map(declared.map(({ path, value }) => [path, value]));
    return {
      id: feature.id,
      sought: declared.map(({ path }) => ({ path, place: fromPointer(path) })),
      liveValueOf: ({ path }) => {
        const [field = ''] = fromPointer(path);
        const differs = compareFeature({ [field]: wanted.get(path) }, feature).length > 0;
        return { ...defined({ value: memberOf(held, field) }), differs };
      },
    };
  },
};
