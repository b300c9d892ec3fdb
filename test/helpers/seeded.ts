/**
 * Properties try the same cases in every run, so that a suite that passed passes again: `PROPERTY_SEED` names other ones, and
 * `npm run test:long` takes a new seed each time. A failure prints its seed.
 */

import { env } from 'node:process';
import fc from 'fast-check';

const USUAL_SEED = 20261122;

const { PROPERTY_SEED: seed } = env;
fc.configureGlobal({ ...fc.readConfigureGlobal(), ...(seed === 'new' ? {} : { seed: Number(seed ?? USUAL_SEED) }) });
