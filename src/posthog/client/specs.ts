/** Operations as the requests that they send: one description of a call serves both its JSON and its CSV answer. */

import type { RequestSpec, Send } from './request-spec.ts';

/** The function that describes the request of each operation; an operation returns what its request reads. */
export type Specs<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => RequestSpec<Result>
    : never;
};

/** The operations that send what the specs describe. */
export function sendEach<Operations>(specs: Specs<Operations>, send: Send): Operations {
  return mapSpecs(specs, send) as Operations;
}

/** The same functions with another result. The caller states its type. */
export function mapSpecs<Operations>(
  specs: Specs<Operations>,
  finish: (spec: RequestSpec<unknown>) => unknown,
): unknown {
  const makers = Object.entries<(...args: never[]) => RequestSpec<unknown>>(specs);
  return Object.fromEntries(makers.map(([name, make]) => [name, (...args: never[]) => finish(make(...args))]));
}
