type Json = ReturnType<typeof JSON.parse>;

interface State {
  Type: string;
  Next: string;
  End?: boolean;
  Resource: string;
  Arguments: Json;
  Retry: Json;
  Seconds: number;
  Choices: { Condition: string; Next: string }[];
  Default: string;
}

export interface Definition {
  StartAt: string;
  States: Record<string, State>;
}

/** Runs a state machine. Yields the seconds of each wait. */
export function* run(
  { StartAt, States }: Definition,
  call: (action: string, parameters: Json) => Json,
): Generator<number, void> {
  let name = StartAt;
  let input: Json = {};
  for (;;) {
    const state = States[name] as State;
    if (state.Type === 'Task') {
      input = call(state.Resource.split(':').at(-1) ?? '', state.Arguments);
    } else if (state.Type === 'Wait') {
      yield state.Seconds;
    }
    if (state.End || state.Type === 'Succeed') {
      return;
    }
    const choice = state.Choices?.find(({ Condition }) => holds(Condition, input));
    name = choice?.Next ?? state.Default ?? state.Next;
  }
}

/** Evaluates the only form of conditions that our state machine has: a path and its value. */
function holds(condition: string, input: Json): boolean {
  const [, path, value] = /^\{% \$states\.input\.(\S+) = (\S+) %\}$/.exec(condition) ?? [];
  if (path === undefined || value === undefined) {
    throw new Error(`Unknown form of a condition: ${condition}`);
  }
  const names = Array.from(path.matchAll(/`(.+?)`|\[(\d)\]|(\w+)/g), (match) =>
    match.slice(1).find(Boolean),
  );
  const found = names.reduce((parent, name) => parent?.[name as string], input);
  return found === JSON.parse(value.replaceAll("'", '"'));
}
