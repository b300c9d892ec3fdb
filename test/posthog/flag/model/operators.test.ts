/** The table of operators: it agrees with the published schema, and its rows agree with each other. */

import { describe, expect, it } from 'vitest';
import { findOperator, OPERATORS } from '../../../../src/posthog/flag/model/operators.ts';
import { readSchema } from '../../../helpers/published-schema.ts';

describe('the table of operators', () => {
  it('has exactly the operators of the manifest schema, in the same order', () => {
    expect(readSchema('manifest').$defs.property.properties.operator.enum).toEqual([...Object.keys(OPERATORS), null]);
  });

  it.each(Object.entries(OPERATORS))(
    '%s accepts the same values as the operator that it negates or renames',
    (_name, row) => {
      const other = row.negates ?? row.renamedTo;
      expect(other === undefined ? row : { ...row, ...OPERATORS[other] }).toEqual(row);
    },
  );

  it.each(['like', '', 'constructor', '__proto__', 'toString'])('has no row for %j', (name) => {
    expect(findOperator(name)).toBeUndefined();
  });
});
