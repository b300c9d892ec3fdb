/** The published schemas check every member of an attribution, and all of them check the same. */

import { expect, test } from 'vitest';
import { readSchema } from '../../helpers/published-schema.ts';

interface Alternative {
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly additionalProperties: boolean;
}

/** Which alternatives each schema has; members that say what the attribution is of are left out. */
function alternativesIn(name: string): object[] {
  const found: Alternative[][] = [];
  JSON.parse(JSON.stringify(readSchema(name)), (key, value: { readonly oneOf?: Alternative[] }) => {
    if (key === 'attribution') found.push(value.oneOf ?? []);
    return value;
  });
  expect(found).toHaveLength(1);
  return (found[0] ?? []).map(({ properties, required, additionalProperties }) => {
    const members = Object.entries(properties).filter(([member]) => !OF.has(member));
    return {
      members: Object.fromEntries(members.map(([member, schema]) => [member, { ...schema, description: '' }])),
      required: required.filter((member) => !OF.has(member)),
      additionalProperties,
    };
  });
}

const OF: ReadonlySet<string> = new Set(['ref', 'path', 'url']);

test.each(['accept', 'plan', 'result'])('the schema of %s checks an attribution as that of explain does', (name) => {
  const [known, unknown, ...others] = alternativesIn('explain');
  expect([known, unknown, others]).toMatchObject([
    { required: ['kind', 'at', 'via'], additionalProperties: false },
    { required: ['kind', 'reason'], additionalProperties: false },
    [],
  ]);
  expect(alternativesIn(name)).toEqual([known, unknown]);
});
