import type { DatabaseCommand } from './model.ts';
import type { Interceptor } from './subject.ts';

/** Changes the parameters of the commands with this name. */
export const altered =
  (
    name: string,
    alter: (parameters: DatabaseCommand['parameters']) => DatabaseCommand['parameters'],
  ): Interceptor =>
  (command, send) =>
    send(command.name === name ? { name, parameters: alter(command.parameters) } : command);
