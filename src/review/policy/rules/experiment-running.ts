/** `experiment-running`: no change alters what people in a running experiment get. */

import { array, is, number, object, string } from '../../../base/schema.ts';
import { joinReaches } from '../../effects/effect.ts';
import type { PolicyKind } from '../basis/policy-kind.ts';

export interface ExperimentRunning {
  readonly written: object;
  readonly options: object;
  readonly facts: {
    readonly what: 'experiment-running';
    readonly experiments: readonly { readonly id: number; readonly name?: string }[];
  };
}

export const experimentRunning: PolicyKind<ExperimentRunning> = {
  description: 'No change of what the people of a running experiment get.',
  schema: {},
  read: () => ({}),
  asksLiveState: true,
  stillHolds: () => true,
  judge: ({ before, classes }, _, { experiments }) => {
    const key = before?.['key'];
    const running = typeof key === 'string' ? (experiments?.get(key) ?? []) : [];
    if (running.length === 0) return [];
    const { turnsOn, turnsOff, changesVariant } = joinReaches(classes);
    if (!turnsOn && !turnsOff && !changesVariant && !classes.includes('payload')) return [];
    const named = running.map(({ id, name }) => (typeof name === 'string' ? { id, name } : { id }));
    return [{ facts: { what: 'experiment-running', experiments: named } }];
  },
  facts: [object({ what: is('experiment-running'), experiments: array(object({ id: number(), 'name?': string() })) })],
  text: ({ experiments }, { names }) =>
    `changes what the people of a running experiment get (${names(experiments.map(({ id, name }) => name || String(id)))})`,
};
