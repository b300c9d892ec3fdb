/** The tables of the program that scripts read: what it can run, and what makes and lays out its reports. */

export { allCommands } from '../src/cli/commands/all-commands.ts';
export { RENDERERS } from '../src/report/formats/render.ts';
export { MODELS } from '../src/report/model/model-of.ts';
