/**
 * Escapes characters that a terminal would execute, as `\u001b`: they move the cursor, break the
 * line or reverse the order of the text.
 */
export function escapeControls(text: string): string {
  return text.replace(
    /[\p{Control}\p{Surrogate}\p{Line_Separator}\p{Paragraph_Separator}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
