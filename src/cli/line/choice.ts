/** What the command line tells the run: which command was chosen, as a function that is called later. */

import type { ExitCode } from './exit.ts';
import type { Session } from '../session/session.ts';

/** What a command does with a session; its module is loaded when it runs. */
export type Execute = (session: Session) => Promise<ExitCode>;
/** Told once, by the command that was chosen. */
export type Choose = (execute: Execute) => void;
