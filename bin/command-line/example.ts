/** Returns the end of a command's help, which shows its use: `.addHelpText('after', example(…))`. */
export const example = (command: string): string => `\nExample:\n  ${command}`;
