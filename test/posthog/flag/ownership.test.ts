import { expect, it } from 'vitest';
import { findFieldOwner, findPartOwner } from '../../../src/posthog/flag/ownership.ts';

it('a field that the service computes is its own, any other is for manifests, known or not', () => {
  expect(['version', 'created_by', 'name', 'of-a-later-release'].map(findFieldOwner)).toEqual([
    'service',
    'service',
    'manifest',
    'manifest',
  ]);
});

it('a part of filters that another product writes belongs to a manifest only where it is declared', () => {
  expect(findPartOwner('holdout', false)).toBe('other-product');
  expect(findPartOwner('holdout', true)).toBe('manifest');
  expect(findPartOwner('payloads', false)).toBe('manifest');
});
