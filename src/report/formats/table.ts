/** Lists as tables; other answers of commands on resources are as in text. */

import { type Renderer } from '../renderer.ts';
import { TEXT } from './text.ts';

const { record, done } = TEXT.forms;

export const TABLE: Renderer = {
  forms: {
    records: async (report, view) => (await import('./text/records.ts')).recordsText(report, view),
    record,
    done,
  },
  seal: TEXT.seal,
};
