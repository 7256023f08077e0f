export interface Ready {
  baseUrl: string;
  token: string;
  dynamodbEndpoint: string;
}

/** What someone at a terminal needs to go on: where things are, a token, and three lines to paste. */
export function readyText(
  { baseUrl, token, dynamodbEndpoint }: Ready,
  where: string,
  reference?: string,
): string {
  const authorization = `-H 'Authorization: Bearer ${token}'`;
  return `
Plant Store: ${baseUrl}
${reference === undefined ? '' : `Reference:   ${reference}\n`}DynamoDB:    ${dynamodbEndpoint} (${where})
Token:       ${token} (owner demo, 24 hours)

Create, list and delete a plant:

  curl -i ${baseUrl}/plants ${authorization} -H 'Content-Type: application/json' -d '{"id": 1, "name": "Monstera", "tag": "indoor"}'
  curl -i ${baseUrl}/plants ${authorization}
  curl -i -X DELETE ${baseUrl}/plants/1 ${authorization}

Ctrl-C ends it. The functions' logs follow.
`;
}

/** A function's log line for people to read; undefined for one that tells them nothing. */
export function readableLog(functionName: string, line: string): string | undefined {
  const entry = parse(line);
  if (!entry) return `${functionName} ${line}`;
  const { time, timestamp, type, record, level, message, ...more } = entry;
  const at = String(timestamp ?? time).slice('2026-01-01T'.length, -1);
  if (type === 'platform.start') return undefined;
  if (type === 'platform.report') {
    const {
      metrics,
      status,
      errorType = '',
    } = record as { metrics: Record<string, number>; status: string; errorType?: string };
    const init =
      metrics.initDurationMs === undefined ? '' : `, after ${metrics.initDurationMs} ms to start`;
    return `${at} ${status === 'success' ? 'INFO' : 'ERROR'} ${functionName} ${status} ${errorType} ${metrics.durationMs} ms${init}`.replace(
      '  ',
      ' ',
    );
  }
  const { requestId: _, ...details } = more;
  const rest = Object.keys(details).length > 0 ? ` ${JSON.stringify(details)}` : '';
  return `${at} ${level} ${functionName} ${typeof message === 'string' ? message : JSON.stringify(message)}${rest}`;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const entry = JSON.parse(line);
    return typeof entry === 'object' && entry !== null ? entry : undefined;
  } catch {
    return undefined;
  }
}
