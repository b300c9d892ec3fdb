/** The section `flags` of manifests. */

import type { Diagnostic, ProblemOf } from '../../../base/diagnostic.ts';
import type { Place } from '../../../base/place.ts';
import type { ShapeDiagnostic } from '../../../base/shape/problems.ts';
import type { Section } from '../../manifests/section.ts';
import { findMeant } from '../checks/meant-members.ts';
import type { FlagProblems } from '../checks/problems.ts';
import { prepareLayers } from './prepare-layers.ts';
import { resolveFlags } from './resolve.ts';

export const FLAG_SECTION: Section = {
  name: 'flags',
  duplicate: (key: string, other: Place) => ({
    severity: 'error',
    ...problem({ code: 'flag-duplicate', args: { key, other } }),
  }),
  keyProblem,
  explainProblem,
  prepareLayers,
  resolve: resolveFlags,
};

// The schema describes keys as a pattern and a length of names. Users need to read about keys of flags.
function keyProblem(reported: ShapeDiagnostic, key: string): Diagnostic | undefined {
  if (reported.code === 'value-pattern') {
    return { ...reported, ...problem({ code: 'flag-key-invalid', args: { key: reported.args.found } }) };
  }
  if (reported.code !== 'length-out-of-range') return undefined;
  return { ...reported, ...problem({ code: 'flag-key-too-long', args: { key, length: key.length } }) };
}

// Members of the flag or of an overlay; the checks of filters explain members of filters.
function explainProblem(reported: ShapeDiagnostic): ShapeDiagnostic {
  if (reported.code !== 'property-unknown') return reported;
  const { property } = reported.args;
  return { ...reported, args: { property, ...(findMeant(property, 'flag') ?? reported.args) } };
}

function problem(own: ProblemOf<FlagProblems>): ProblemOf<FlagProblems> {
  return own;
}
