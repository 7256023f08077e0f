import { accessTokenPattern, tokenParts } from '../../functions/shared/access-token.ts';

const { prefix, id, secret, checksum } = tokenParts;
const tokenLength = prefix.length + id + '_'.length + secret + checksum;

/** Other schemes may be named in a log. Any other first word may be a token. */
const otherSchemes =
  /^(apikey|api-key|aws4-hmac-sha256|basic|digest|dpop|jwt|key|negotiate|oauth|token)$/i;

/**
 * Says why no token can be in the value of an Authorization header, without quoting a part of it
 * that may be a secret.
 */
export function authorizationFault(header: string | undefined): string {
  if (header === undefined) {
    return 'no Authorization header';
  }
  const [, scheme = '', gap = '', credentials = ''] = /^(\S*)(\s*)(.*)$/s.exec(header) ?? [];
  if (scheme === '') {
    return 'an empty Authorization header';
  }
  if (otherSchemes.test(scheme)) {
    return `the scheme ${scheme} instead of Bearer`;
  }
  if (!/^bearer$/i.test(scheme)) {
    return /^bearer/i.test(scheme)
      ? 'something other than a space after "Bearer"'
      : 'no "Bearer" before the token';
  }
  if (credentials === '') {
    return 'no token after "Bearer", as if a variable of the shell was empty';
  }
  return tokenFault(credentials) ?? (/^ +$/.test(gap) ? '' : 'no space after "Bearer"');
}

/** Says what is wrong with a text in place of a token, or undefined if it could be one. */
function tokenFault(text: string): string | undefined {
  if (new RegExp(`^${accessTokenPattern}$`).test(text)) {
    return undefined;
  }
  if (/^bearer\b/i.test(text)) {
    return '"Bearer" twice';
  }
  if (text.startsWith('$')) {
    return 'a variable in place of the token, which a shell replaces in double quotes only';
  }
  if (/^["'<{[(]/.test(text)) {
    return 'quotes or brackets around the token';
  }
  if (/[\s,]/.test(text)) {
    return 'something after the token';
  }
  if (!text.startsWith(prefix)) {
    return `a token that does not begin with ${prefix}`;
  }
  if (text.length !== tokenLength) {
    const fault = text.length < tokenLength ? 'cut' : 'too long';
    return `a token that is ${fault}: ${text.length} of ${tokenLength} characters`;
  }
  return 'a token with a character that tokens do not have';
}
