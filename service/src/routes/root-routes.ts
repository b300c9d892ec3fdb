/** The table of paths outside a project: requests of SDKs. */

import type { Answer } from '../handler/call.ts';
import type { Methods, Operation } from '../handler/operation.ts';
import { capture } from '../sdk/capture.ts';
import { sdkDefinitions, sdkLocalEvaluation } from '../sdk/definitions.ts';
import { decide, flags } from '../sdk/remote-evaluation.ts';

export interface RootRoute {
  readonly path: string;
  /** `key`: an API key is required, and a token in the query names the project. `token`: only a token is required. */
  readonly access: 'key' | 'token' | 'none';
  readonly methods: Methods;
}

const preflight: Operation = { id: 'sdk_preflight', handler: answerPreflight };
const capturing: Methods = { POST: { id: 'sdk_capture', handler: capture }, OPTIONS: preflight };

export const ROOT_ROUTES: readonly RootRoute[] = [
  {
    path: 'flags/definitions',
    access: 'key',
    methods: { GET: { id: 'sdk_definitions', handler: sdkDefinitions } },
  },
  {
    path: 'api/feature_flag/local_evaluation',
    access: 'key',
    methods: { GET: { id: 'sdk_local_evaluation', handler: sdkLocalEvaluation } },
  },
  { path: 'flags', access: 'token', methods: { POST: { id: 'sdk_flags', handler: flags }, OPTIONS: preflight } },
  { path: 'decide', access: 'token', methods: { POST: { id: 'sdk_decide', handler: decide }, OPTIONS: preflight } },
  ...['batch', 'capture', 'e', 'i/v0/e', 'track'].map((path): RootRoute => ({
    path,
    access: 'token',
    methods: capturing,
  })),
];

export function findRootRoute(path: string): RootRoute | undefined {
  const name = path.replace(/^\/|\/$/g, '');
  return ROOT_ROUTES.find((route) => route.path === name);
}

/** A CORS preflight. */
function answerPreflight(): Answer {
  return { status: 204 };
}
