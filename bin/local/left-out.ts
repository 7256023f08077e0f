/** Returns a line that names what is not imitated, or '' if everything is. */
export const leftOutText = (leftOut: string[]) =>
  leftOut.length > 0 ? `Not imitated here: ${leftOut.join('; ')}. See docs/imitates.md.` : '';
