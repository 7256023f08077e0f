import type { Command } from './model.ts';
import type { Fault } from './subject.ts';

/** Changes the parameters of the commands with this name. */
export const altered =
  (name: string, alter: (parameters: Command['parameters']) => Command['parameters']): Fault =>
  (command, send) =>
    send(command.name === name ? { name, parameters: alter(command.parameters) } : command);
