/** Values of a flag that may change over time. */

import { boolean } from '../../../src/base/schema.ts';
import type { Keywords } from '../../../src/base/schema.ts';
import { percentage, stepped, stepTo } from '../values.ts';

const percentageStep = stepTo('percentageStep', percentage({}));

const activeStep = stepTo('activeStep', boolean());

export function steppedPercentage(remarks: Keywords): Keywords {
  return stepped(percentage(remarks), percentageStep);
}

export function steppedActive(remarks: Keywords): Keywords {
  return stepped(boolean(remarks), activeStep);
}
