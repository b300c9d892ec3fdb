/** Rules for editors about filters. */

import {
  among,
  array,
  boolean,
  define,
  integer,
  is,
  open,
  string,
  type Keywords,
  type Schema,
} from '../../../src/base/schema.ts';
import { filled } from '../values.ts';
import {
  OPERATORS,
  type OperandKind,
  type Operator,
  type OperatorRow,
} from '../../../src/posthog/flag/model/operators.ts';

const NAMES = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
  .concat(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])
  .map((name) => name.replaceAll(/./g, (letter) => `[${letter}${letter.toUpperCase()}]`))
  .join('|');

/** The schema of the values that an operator compares with. Operators with the same schema share a rule. */
const OPERANDS: Readonly<Record<OperandKind, Keywords>> = (() => {
  const text = valueIs(string());
  return {
    none: {},
    scalars: valueIs({
      anyOf: [{ type: ['string', 'number', 'boolean'] }, array({ type: ['string', 'number', 'boolean', 'null'] })],
    }),
    string: text,
    regex: text,
    'number-string': text,
    strings: valueIs(array(string())),
    // The service refuses the operators.
    'number-pair': { properties: { operator: false } },
    // A number that begins no impossible day, or the name of a month or a day of the week.
    date: valueIs(
      string({ pattern: `^(?!\\d{4}-(00|1[3-9]|[2-9]\\d|\\d\\d-(00|3[2-9]|[4-9]\\d))(?!\\d)).*(\\d|${NAMES})` }),
    ),
    semver: valueIs(string({ pattern: '^\\d+(\\.\\d+){0,2}(-[0-9A-Za-z.+-]+)?$' })),
    'semver-wildcard': valueIs(string({ pattern: '^(?=[^.]+(\\.[^.]+){0,2}$)\\d+(\\.\\d+)*(\\.\\*)*$' })),
    cohort: valueIs({
      anyOf: [
        string({ pattern: '^((?!\\d+$)[\\s\\S]+|0*[1-9]\\d{0,15})$' }),
        integer({ minimum: 1, maximum: 9007199254740991 }),
      ],
    }),
    'flag-result': open({
      operator: is('flag_evaluates_to' satisfies Operator),
      value: { anyOf: [boolean(), filled()] },
    }),
  };
})();

export const propertyRules = define('propertyRules', {
  description: 'The operator fits the type of the property, and the value fits the operator.',
  allOf: [
    {
      if: open({ type: is('cohort') }),
      then: OPERANDS.cohort,
      else: {
        if: open({ type: is('flag') }),
        then: OPERANDS['flag-result'],
        else: {
          properties: { operator: { not: among(operatorsWhere(({ subject }) => subject !== 'value')) } },
          allOf: [...new Set(operandsOfValues())].map((operand) => ({
            if: operatorIsOneOf(operatorsWhere((row) => row.subject === 'value' && OPERANDS[row.operand] === operand)),
            then: operand,
          })),
        },
      },
    },
  ],
});

function valueIs(schema: Schema): Keywords {
  return open({ value: schema });
}

function operandsOfValues(): readonly Keywords[] {
  const rows = Object.values(OPERATORS).filter(({ subject, operand }) => subject === 'value' && operand !== 'none');
  return rows.map(({ operand }) => OPERANDS[operand]);
}

function operatorsWhere(holds: (row: OperatorRow) => boolean): readonly string[] {
  return Object.entries(OPERATORS).flatMap(([name, row]) => (holds(row) ? [name] : []));
}

/** A property without an operator has `exact`. */
function operatorIsOneOf(names: readonly string[]): Keywords {
  return names.includes('exact')
    ? { properties: { operator: among([...names, null]) } }
    : open({ operator: among(names) });
}

const personConditionRules = define('personConditionRules', {
  description: 'A condition on persons tests no group.',
  properties: { properties: { items: { properties: { type: { not: is('group') } } } } },
});

const groupConditionRules = define('groupConditionRules', {
  description: 'A condition on groups tests only groups, each with its type.',
  properties: { properties: { items: open({ type: is('group'), group_type_index: integer() }) } },
});

const conditionRules = define('conditionRules', {
  description: 'The properties fit the aggregation of the condition.',
  properties: { properties: { items: propertyRules } },
  allOf: [
    { if: open({ aggregation_group_type_index: { type: 'null' } }), then: personConditionRules },
    { if: open({ aggregation_group_type_index: integer() }), then: groupConditionRules },
  ],
});

export const payloadRules = define('payloadRules', {
  description: 'A string is JSON text.',
  additionalProperties: {
    if: string(),
    then: {
      pattern:
        '^[ \\t\\r\\n]*(\\{[\\s\\S]*\\}|\\[[\\s\\S]*\\]|"[\\s\\S]*"|true|false|null|-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?)[ \\t\\r\\n]*$',
    },
  },
});

const groupTypeRules = define('groupTypeRules', {
  description: 'Rules for the conditions of filters. A condition inherits the group type of the flag and has no other.',
  properties: { groups: { items: conditionRules } },
  if: open({ aggregation_group_type_index: integer() }),
  then: {
    properties: {
      groups: {
        items: {
          properties: { aggregation_group_type_index: integer() },
          if: { not: { type: 'object', required: ['aggregation_group_type_index'] } },
          then: groupConditionRules,
        },
      },
    },
  },
});

const personFilterRules = define('personFilterRules', {
  description: 'Conditions without a group type of their own are on persons.',
  properties: {
    groups: {
      items: {
        if: { not: { type: 'object', required: ['aggregation_group_type_index'] } },
        then: personConditionRules,
      },
    },
  },
});

export const filterRules = define(
  'filterRules',
  open(
    { groups: { type: 'array' }, 'payloads?': payloadRules },
    {
      description: 'Rules for filters that are complete: those of a flag.',
      not: { type: 'object', required: ['version'] },
      allOf: [
        groupTypeRules,
        {
          if: { not: open({ multivariate: { type: 'object' } }) },
          then: {
            properties: {
              groups: { items: { properties: { variant: { type: 'null' } } } },
              payloads: { propertyNames: is('true') },
            },
          },
        },
        { if: { not: open({ aggregation_group_type_index: integer() }) }, then: personFilterRules },
      ],
    },
  ),
);

export const overlayFilterRules = define('overlayFilterRules', {
  description: 'Rules for filters of an overlay, which are merged into those of the flag.',
  properties: { payloads: payloadRules, version: { type: 'null' } },
  allOf: [groupTypeRules, { if: open({ aggregation_group_type_index: { type: 'null' } }), then: personFilterRules }],
});
