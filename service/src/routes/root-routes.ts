/** The table of paths outside a project: requests of SDKs. */

import { capture } from '../sdk/capture.ts';
import { match, type Methods, type Operation } from './table.ts';
import { ofrepFlag, ofrepFlags } from '../sdk/ofrep.ts';
import { sdkDefinitions, sdkLocalEvaluation } from '../sdk/definitions.ts';
import { decide, flags } from '../sdk/remote-evaluation.ts';

export interface RootRoute {
  readonly path: string;
  /**
   * `key`: an API key is required, and a token in the query names the project. `token`: only a token is required.
   * `ofrep`: a token in a header, and refusals in the form of the protocol.
   */
  readonly access: 'key' | 'token' | 'ofrep' | 'none';
  readonly methods: Methods;
}

const preflight: Operation = { id: 'sdk_preflight', handler: () => ({ status: 204 }) };
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
  {
    path: 'ofrep/v1/evaluate/flags/:key',
    access: 'ofrep',
    methods: { POST: { id: 'ofrep_evaluate_flag', handler: ofrepFlag }, OPTIONS: preflight },
  },
  {
    path: 'ofrep/v1/evaluate/flags',
    access: 'ofrep',
    methods: { POST: { id: 'ofrep_evaluate_flags', handler: ofrepFlags }, OPTIONS: preflight },
  },
  ...['batch', 'capture', 'e', 'i/v0/e', 'track'].map((path): RootRoute => ({
    path,
    access: 'token',
    methods: capturing,
  })),
];

export interface FoundRootRoute extends RootRoute {
  /** The values as the path has them, not decoded. */
  readonly params: Readonly<Record<string, string>>;
}

const ROOT_MATCHERS = ROOT_ROUTES.map((route) => ({ route, pattern: route.path.split('/') }));

export function findRootRoute(path: string): FoundRootRoute | undefined {
  const segments = path.replace(/^\/|\/$/g, '').split('/');
  for (const { route, pattern } of ROOT_MATCHERS) {
    const params = match(pattern, segments);
    if (params !== undefined) return { ...route, params };
  }
  return undefined;
}
