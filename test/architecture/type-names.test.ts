/** A type name means one thing: no two files declare a type of the same name. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

/** The engine declares each of these for any service, and `posthog/plan.ts` for PostHog. */
const OF_ENGINE = ['Change', 'Plan', 'PlanSummary', 'PlanTypes', 'RiskHazard'];

/** What a flag answers a person in tests, and what the embedded service answers a request. */
const PUBLISHED = ['Answer'];

it('declares each type in one file', () => {
  const files = new Map<string, string[]>();
  for (const folder of ['service/src', 'src']) {
    for (const name of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const text = readFileSync(path.join(root, folder, name), 'utf8');
      for (const [, type = ''] of text.matchAll(/^(?:export )?(?:abstract )?(?:interface|type|class|enum) (\w+)\b/gm)) {
        files.set(type, [...(files.get(type) ?? []), `${folder}/${name}`]);
      }
    }
  }
  expect(files.size).toBeGreaterThan(1000);
  const several = new Map([...files].filter(([, of]) => new Set(of).size > 1));
  for (const name of [...OF_ENGINE, ...PUBLISHED]) {
    expect(several.get(name)).toHaveLength(2);
    several.delete(name);
  }
  expect(Object.fromEntries(several)).toEqual({});
});
