/** Returns the end of a command's help, for `.addHelpText('after', …)`. */
export const example = (command: string): string => `\nExample:\n  ${command}`;
