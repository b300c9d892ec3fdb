/** The flags of real projects, current and of 2023, are valid manifests exactly as the service lists them. */

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { check } from './check.ts';

interface Listed {
  readonly key: string;
  readonly name: string;
  readonly active: boolean;
  readonly filters: unknown;
  readonly tags: readonly string[];
  readonly ensure_experience_continuity: boolean | null;
  readonly created_at: string;
  readonly performed_rollback?: boolean;
}

const NAMES = ['flags-today', 'flags-2023'];

it.each(NAMES)('%s has one line for each flag, so that a diff shows which one changed', (name) => {
  const text = readFileSync(`test/fixtures/${name}.json`, 'utf8');
  const keys = text.split('\n').flatMap((line) => (line.startsWith('    {') ? [keyOf(line)] : []));
  expect(keys).toEqual((JSON.parse(text) as { results: Listed[] }).results.map(({ key }) => key));
});

function keyOf(line: string): string {
  return (JSON.parse(line.replace(/,$/, '')) as Listed).key;
}

it.each(NAMES)('%s', (name) => {
  const listed: { results: Listed[] } = JSON.parse(readFileSync(`test/fixtures/${name}.json`, 'utf8'));
  const flags = listed.results.map((flag) => [
    flag.key,
    {
      description: flag.name,
      active: flag.active,
      filters: flag.filters,
      tags: flag.tags,
      ensure_experience_continuity: flag.ensure_experience_continuity,
      created_at: flag.created_at,
      performed_rollback: flag.performed_rollback ?? null,
    },
  ]);
  // JSON is YAML.
  const { desired, diagnostics } = check(JSON.stringify({ flags: Object.fromEntries(flags) }, undefined, 1));
  // Their conditions are made up: some cannot matter.
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(desired.flags).toHaveLength(300);
});
