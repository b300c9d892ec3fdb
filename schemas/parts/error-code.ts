/** The code of an error. */

import type { ErrorCode } from '../../src/base/errors.ts';
import { among, type Keywords } from '../../src/base/schema.ts';

const CODES: Readonly<Record<ErrorCode, true>> = {
  usage: true,
  config_invalid: true,
  manifest_invalid: true,
  tests_invalid: true,
  plan_invalid: true,
  plan_stale: true,
  snapshot_invalid: true,
  snapshot_stale: true,
  refused: true,
  run_under_way: true,
  base_unreadable: true,
  unauthorized: true,
  forbidden: true,
  project_not_found: true,
  rate_limited: true,
  service_failed: true,
  service_refused: true,
  answer_invalid: true,
  network: true,
  deadline: true,
  interrupted: true,
  file: true,
  internal: true,
};

export const errorCode: Keywords = among(Object.keys(CODES), 'See the table in https://flagwright.dev/commands');
