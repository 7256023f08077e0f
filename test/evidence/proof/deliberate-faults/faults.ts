/** A mistake that somebody could make, and a test file that must fail because of it. */
export interface DeliberateFault {
  /** What the code does then. */
  what: string;
  /** Within `functions`. */
  file: string;
  /** Texts of the file, each with what stands there instead. */
  changes: [text: string, instead: string][];
  suite: string;
}

export const deliberateFaults: DeliberateFault[] = [
  {
    what: 'a put without its condition',
    file: 'plants/store.ts',
    changes: [
      ["      ConditionExpression: 'attribute_not_exists(#id)',\n", ''],
      ["      ExpressionAttributeNames: { '#id': sort },\n", ''],
    ],
    suite: 'test/plants/store.test.ts',
  },
  {
    what: 'a key that forgets the owner',
    file: 'plants/store.ts',
    changes: [
      ['[partition]: owner', "[partition]: 'everyone'"],
      ["':owner': owner", "':owner': 'everyone'"],
    ],
    suite: 'test/plants/store.test.ts',
  },
  {
    what: 'an owner taken from a header',
    file: 'http/operation.ts',
    changes: [
      [
        'function callerOf({ requestContext }: APIGatewayProxyEvent,',
        'function callerOf({ requestContext, headers }: APIGatewayProxyEvent,',
      ],
      [
        'requestContext.authorizer?.owner',
        "headers['x-owner'] ?? requestContext.authorizer?.owner",
      ],
    ],
    suite: 'test/contract/contract.test.ts',
  },
  {
    what: 'expired tokens accepted',
    file: 'access-tokens/record.ts',
    changes: [['now >= expires * 1000', 'now < 0']],
    suite: 'test/access-tokens/authorizer.test.ts',
  },
  {
    what: 'revoked tokens accepted',
    file: 'access-tokens/record.ts',
    changes: [["if (revoked !== undefined) return 'revoked';", '']],
    suite: 'test/access-tokens/authorizer.test.ts',
  },
  {
    what: 'the Authorization header in the log',
    file: 'access-tokens/authorizer.ts',
    changes: [
      [
        "logInfo('TOKEN_ACCEPTED', { tokenId: id, owner });",
        "logInfo('TOKEN_ACCEPTED', { tokenId: id, owner, authorizationToken });",
      ],
    ],
    suite: 'test/access-tokens/service.test.ts',
  },
  {
    what: 'a write sent again blindly',
    file: 'writes.ts',
    changes: [
      ['if (info.error instanceof UnknownOutcome) return Promise.reject(info.error);', ''],
      ['throw isWrite ? classify(error as AttemptError) : error;', 'throw error;'],
    ],
    suite: 'test/evidence/explorer/explorer.test.ts',
  },
  {
    what: 'a secret of 40 random bits',
    file: 'access-tokens/token.ts',
    changes: [['base62(randomBytes(32), ', 'base62(randomBytes(5), ']],
    suite: 'test/access-tokens/randomness.test.ts',
  },
  {
    what: 'a secret made by Math.random',
    file: 'access-tokens/token.ts',
    changes: [
      [
        'base62(randomBytes(32), ',
        'base62(Buffer.from(Array.from({ length: 32 }, () => Math.random() * 256)), ',
      ],
    ],
    suite: 'test/access-tokens/randomness.test.ts',
  },
  {
    what: 'a part of the digest compared',
    file: 'access-tokens/authorizer.ts',
    changes: [
      [
        'timingSafeEqual(digest(token), record?.digest ?? noDigest)',
        'timingSafeEqual(digest(token).subarray(8), (record?.digest ?? noDigest).subarray(8))',
      ],
    ],
    suite: 'test/access-tokens/same-work.test.ts',
  },
  {
    what: 'digits of a large id lost in JSON',
    file: 'http/json.ts',
    changes: [
      [
        "return BigInt(sign + digits.slice(start, end) + '0'.repeat(zeros));",
        'return BigInt(Number(number));',
      ],
    ],
    suite: 'test/http/json.test.ts',
  },
  {
    what: 'digits of a large id lost in the database',
    file: 'database.ts',
    changes: [['wrapNumbers: BigInt', 'wrapNumbers: (digits) => BigInt(Number(digits))']],
    suite: 'test/fuzz/requests.test.ts',
  },
  {
    what: 'a cursor whose position is ignored',
    file: 'plants/list.ts',
    changes: [['pageSize + 1, query.cursor, signal', 'pageSize + 1, undefined, signal']],
    suite: 'test/fuzz/requests.test.ts',
  },
  {
    what: 'the id in a list',
    file: 'plants/list.ts',
    changes: [
      [
        'body: page.map(contentOf)',
        'body: page.map((plant) => ({ ...plant, id: Number(plant.id) }))',
      ],
    ],
    suite: 'test/contract/contract.test.ts',
  },
  {
    what: 'a 409 that overwrites the plant',
    file: 'plants/store.ts',
    changes: [
      [
        "if (stored) return hasSameContent(storedPlant(stored), plant) ? 'unchanged' : 'conflict';",
        `if (stored && hasSameContent(storedPlant(stored), plant)) return 'unchanged';
      if (stored) {
        const { ConditionExpression, ExpressionAttributeNames, ...unconditional } = put.input;
        await database.send(new PutCommand(unconditional));
        return 'conflict';
      }`,
      ],
    ],
    suite: 'test/plants/store.test.ts',
  },
];
