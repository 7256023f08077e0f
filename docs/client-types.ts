// Made of docs/openapi.json by .ci/steps/client-types. Do not edit it.
// The document's SHA-256 digest: e31af181a63c784f9b5216f0f2cba54e78fd047b2d9004b1416baf7620642c78

export interface paths {
    "/plants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller’s plants
         * @description Lists plants in ascending order of their ids, including everything written before. To read on, follow Link until a page has none.
         */
        get: operations["listPlants"];
        put?: never;
        /**
         * Create a plant
         * @description Stores a plant under an id that the caller chooses. The same request again changes nothing and is answered with 200. After a 503 it may bring back a plant that another caller deleted meanwhile.
         */
        post: operations["createPlant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plants/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a plant
         * @description A body is ignored. To repeat it after a 503 may delete a plant that another caller created meanwhile.
         */
        delete: operations["deletePlant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        NewPlant: {
            /**
             * Format: int64
             * @description A 64-bit integer. JavaScript’s numbers lose digits above 2^53: keep it as text or BigInt.
             */
            id: bigint;
            name: string;
            /** @description Empty if it is left out. */
            tag?: string;
        };
        Plant: {
            name: string;
            tag: string;
        };
        Problem: {
            /** Format: uri */
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description The id of the request, as in X-Request-Id. */
            instance: string;
            /** @description Every fault that was found, if the faults are known. */
            errors?: components["schemas"]["Fault"][];
        };
        Fault: {
            /** @description The place in the body, as a JSON pointer (RFC 6901). */
            pointer?: string;
            /** @description The name of a parameter in the path or the query. */
            parameter?: string;
            /** @description The name of a header. */
            header?: string;
            detail: string;
        } & (unknown | unknown | unknown);
    };
    responses: {
        /** @description Invalid request */
        "invalid-request": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    type?: "urn:problem-type:plant-store:invalid-request";
                    /** @constant */
                    title?: "Invalid request";
                    /** @constant */
                    status?: 400;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description Unauthorized */
        unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "WWW-Authenticate": "Bearer realm=\"plant-store\"";
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    type?: "urn:problem-type:plant-store:unauthorized";
                    /** @constant */
                    title?: "Unauthorized";
                    /** @constant */
                    status?: 401;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description Insufficient scope */
        "insufficient-scope": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "WWW-Authenticate": "Bearer realm=\"plant-store\", error=\"insufficient_scope\"";
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    type?: "urn:problem-type:plant-store:insufficient-scope";
                    /** @constant */
                    title?: "Insufficient scope";
                    /** @constant */
                    status?: 403;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description Request blocked */
        "request-blocked": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    type?: "urn:problem-type:plant-store:request-blocked";
                    /** @constant */
                    title?: "Request blocked";
                    /** @constant */
                    status?: 403;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description Plant not found */
        "plant-not-found": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    type?: "urn:problem-type:plant-store:plant-not-found";
                    /** @constant */
                    title?: "Plant not found";
                    /** @constant */
                    status?: 404;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description No such operation */
        "no-such-operation": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    type?: "urn:problem-type:plant-store:no-such-operation";
                    /** @constant */
                    title?: "No such operation";
                    /** @constant */
                    status?: 404;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description Plant exists */
        "plant-exists": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    type?: "urn:problem-type:plant-store:plant-exists";
                    /** @constant */
                    title?: "Plant exists";
                    /** @constant */
                    status?: 409;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description Content too large */
        "content-too-large": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    type?: "urn:problem-type:plant-store:content-too-large";
                    /** @constant */
                    title?: "Content too large";
                    /** @constant */
                    status?: 413;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description Unsupported media type */
        "unsupported-media-type": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    type?: "urn:problem-type:plant-store:unsupported-media-type";
                    /** @constant */
                    title?: "Unsupported media type";
                    /** @constant */
                    status?: 415;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests */
        "too-many-requests": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    type?: "urn:problem-type:plant-store:too-many-requests";
                    /** @constant */
                    title?: "Too many requests";
                    /** @constant */
                    status?: 429;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description Internal error */
        "internal-error": {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    type?: "urn:problem-type:plant-store:internal-error";
                    /** @constant */
                    title?: "Internal error";
                    /** @constant */
                    status?: 500;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description Unavailable */
        unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    type?: "urn:problem-type:plant-store:unavailable";
                    /** @constant */
                    title?: "Unavailable";
                    /** @constant */
                    status?: 503;
                } & components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Finds the log line of the request. It proves nothing about who sent it.
         * @example JKJaXmPLvHcESHA=
         */
        "X-Request-Id": string;
        "Cache-Control": "no-store";
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'";
        "Strict-Transport-Security": "max-age=63072000; includeSubDomains";
        "X-Content-Type-Options": "nosniff";
        /**
         * @description The seconds to wait before the next attempt.
         * @example 1
         */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPlants: {
        parameters: {
            query?: {
                /** @description The maximum number of plants. A value above 1000 means 1000. */
                limit?: number;
                /** @description The position after which to continue, as a Link has it. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of plants. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    /**
                     * @description The path of the next page (RFC 8288), if there is one.
                     * @example </v1/plants?limit=2&cursor=1AAAAAAAAAAc>; rel="next"
                     */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "Aloe",
                     *         "tag": ""
                     *       },
                     *       {
                     *         "name": "Monstera",
                     *         "tag": "indoor"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Plant"][];
                };
            };
            400: components["responses"]["invalid-request"];
            401: components["responses"]["unauthorized"];
            /** @description Insufficient scope, or Request blocked */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "WWW-Authenticate"?: "Bearer realm=\"plant-store\", error=\"insufficient_scope\"";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": ({
                        /** @constant */
                        type?: "urn:problem-type:plant-store:insufficient-scope";
                        /** @constant */
                        title?: "Insufficient scope";
                        /** @constant */
                        status?: 403;
                    } & components["schemas"]["Problem"]) | ({
                        /** @constant */
                        type?: "urn:problem-type:plant-store:request-blocked";
                        /** @constant */
                        title?: "Request blocked";
                        /** @constant */
                        status?: 403;
                    } & components["schemas"]["Problem"]);
                };
            };
            429: components["responses"]["too-many-requests"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["unavailable"];
        };
    };
    createPlant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": 7,
                 *       "name": "Monstera",
                 *       "tag": "indoor"
                 *     }
                 */
                "application/json": components["schemas"]["NewPlant"];
            };
        };
        responses: {
            /** @description The plant existed already, with the same content. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    /**
                     * @description The path of the plant.
                     * @example /v1/plants/7
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Monstera",
                     *       "tag": "indoor"
                     *     }
                     */
                    "application/json": components["schemas"]["Plant"];
                };
            };
            /** @description The plant was stored. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    /**
                     * @description The path of the plant.
                     * @example /v1/plants/7
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Monstera",
                     *       "tag": "indoor"
                     *     }
                     */
                    "application/json": components["schemas"]["Plant"];
                };
            };
            400: components["responses"]["invalid-request"];
            401: components["responses"]["unauthorized"];
            /** @description Insufficient scope, or Request blocked */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "WWW-Authenticate"?: "Bearer realm=\"plant-store\", error=\"insufficient_scope\"";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": ({
                        /** @constant */
                        type?: "urn:problem-type:plant-store:insufficient-scope";
                        /** @constant */
                        title?: "Insufficient scope";
                        /** @constant */
                        status?: 403;
                    } & components["schemas"]["Problem"]) | ({
                        /** @constant */
                        type?: "urn:problem-type:plant-store:request-blocked";
                        /** @constant */
                        title?: "Request blocked";
                        /** @constant */
                        status?: 403;
                    } & components["schemas"]["Problem"]);
                };
            };
            409: components["responses"]["plant-exists"];
            413: components["responses"]["content-too-large"];
            415: components["responses"]["unsupported-media-type"];
            429: components["responses"]["too-many-requests"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["unavailable"];
        };
    };
    deletePlant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the plant. A 64-bit integer. JavaScript’s numbers lose digits above 2^53: keep it as text or BigInt. */
                id: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plant was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid-request"];
            401: components["responses"]["unauthorized"];
            /** @description Insufficient scope, or Request blocked */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Content-Security-Policy": components["headers"]["Content-Security-Policy"];
                    "Strict-Transport-Security": components["headers"]["Strict-Transport-Security"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "WWW-Authenticate"?: "Bearer realm=\"plant-store\", error=\"insufficient_scope\"";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": ({
                        /** @constant */
                        type?: "urn:problem-type:plant-store:insufficient-scope";
                        /** @constant */
                        title?: "Insufficient scope";
                        /** @constant */
                        status?: 403;
                    } & components["schemas"]["Problem"]) | ({
                        /** @constant */
                        type?: "urn:problem-type:plant-store:request-blocked";
                        /** @constant */
                        title?: "Request blocked";
                        /** @constant */
                        status?: 403;
                    } & components["schemas"]["Problem"]);
                };
            };
            404: components["responses"]["plant-not-found"];
            429: components["responses"]["too-many-requests"];
            500: components["responses"]["internal-error"];
            503: components["responses"]["unavailable"];
        };
    };
}
