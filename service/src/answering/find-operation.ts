/** Finds the operation of a method, or refuses the method. */

import { methodNotAllowed } from '../handler/envelope.ts';
import type { Methods, Operation } from '../handler/operation.ts';

export function findOperation(methods: Methods, method: string): Operation {
  const name = method === 'HEAD' ? 'GET' : method;
  const operation = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (operation === undefined) throw methodNotAllowed(method, Object.keys(methods));
  return operation;
}
