/** The four operations that need flags to be evaluated for persons, one handler each. Not available yet, and they say so. */

import type { Answer } from '../call.ts';
import { serverError } from '../envelope.ts';

export function evaluationReasons(): Answer {
  throw notAvailable('evaluation_reasons');
}

export function localEvaluation(): Answer {
  throw notAvailable('local_evaluation');
}

export function myFlags(): Answer {
  throw notAvailable('my_flags');
}

export function userBlastRadius(): Answer {
  throw notAvailable('user_blast_radius');
}

function notAvailable(operation: string): Error {
  return serverError(
    `The embedded service does not evaluate flags: ${operation} is not available.`,
    501,
    'not_implemented',
  );
}
