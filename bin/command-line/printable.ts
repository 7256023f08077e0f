/**
 * Returns a text in which characters that would move the cursor, break the line or turn the order
 * of the text around are written as `\u001b`, because a terminal would obey them.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Control}\p{Surrogate}\p{Line_Separator}\p{Paragraph_Separator}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
