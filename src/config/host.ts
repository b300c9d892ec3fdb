/** Checks a host of the configuration: its canonical form, or why an API key must not be sent to it. */

import { defined } from '../base/optional.ts';
import { parseHost, type HostProblem } from '../base/service-host.ts';

export type HostCheck =
  | { readonly host: string }
  | {
      readonly problem: 'config-host-invalid' | 'config-host-plain-http';
      readonly shown: string;
      readonly unwanted?: readonly string[];
    };

/** A host as origin and base path without a trailing slash; `shown` never contains a user or a password. */
export function checkHost(written: string): HostCheck {
  const parsed = parseHost(written);
  return 'kind' in parsed ? refusal(parsed) : { host: parsed.origin + parsed.basePath };
}

/** The arguments of the diagnostic for a refused host. */
export function problemArgs({ shown, unwanted }: Extract<HostCheck, { problem: string }>): {
  readonly host: string;
  readonly unwanted?: readonly string[];
} {
  return { host: shown, ...defined({ unwanted }) };
}

function refusal(problem: HostProblem): HostCheck {
  switch (problem.kind) {
    case 'not-http':
      return { problem: 'config-host-invalid', shown: problem.shown };
    case 'unwanted':
      return { problem: 'config-host-invalid', shown: problem.shown, unwanted: problem.parts };
    case 'plain-http':
      return { problem: 'config-host-plain-http', shown: problem.shown };
  }
}
