/** The text format under the name that commands on resources give it. */

import { NO_DOCUMENTS, type Renderer } from '../renderer.ts';
import { TEXT } from './text.ts';

const { records, record, done } = TEXT.forms;

export const TABLE: Renderer = {
  forms: {
    ...NO_DOCUMENTS,
    records,
    record,
    done,
  },
  seal: TEXT.seal,
};
