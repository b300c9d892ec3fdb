/** The text format under the name that commands on resources give it. */

import { type Renderer } from '../renderer.ts';
import { TEXT } from './text.ts';

const { records, record, done } = TEXT.forms;

export const TABLE: Renderer = {
  forms: {
    records,
    record,
    done,
  },
  seal: TEXT.seal,
};
