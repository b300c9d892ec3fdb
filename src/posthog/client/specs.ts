/** Operations as the requests they make: one description of a call serves for its JSON and for its CSV answer. */

import type { RequestSpec, Send } from './request-spec.ts';

/** For each operation the function that describes its request; an operation answers with what its request reads. */
export type Specs<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => RequestSpec<Result>
    : never;
};

/** The operations that send what the specs describe. */
export function sendEach<Operations>(specs: Specs<Operations>, send: Send): Operations {
  return mapSpecs(specs, send) as Operations;
}

/** The same functions with another end. The caller states the type that comes out. */
export function mapSpecs<Operations>(
  specs: Specs<Operations>,
  finish: (spec: RequestSpec<unknown>) => unknown,
): unknown {
  const makers = Object.entries<(...args: never[]) => RequestSpec<unknown>>(specs);
  return Object.fromEntries(makers.map(([name, make]) => [name, (...args: never[]) => finish(make(...args))]));
}
