import { expect, it } from 'vitest';
import { findFieldOwner, findPartOwner } from '../../../src/posthog/flag/ownership.ts';

it('a computed field belongs to the service, any other field to manifests, known or not', () => {
  expect(['version', 'created_by', 'name', 'of-a-later-release'].map(findFieldOwner)).toEqual([
    'service',
    'service',
    'manifest',
    'manifest',
  ]);
});

it('a part of filters of another product belongs to a manifest only if it is declared', () => {
  expect(findPartOwner('holdout', false)).toBe('other-product');
  expect(findPartOwner('holdout', true)).toBe('manifest');
  expect(findPartOwner('payloads', false)).toBe('manifest');
});
