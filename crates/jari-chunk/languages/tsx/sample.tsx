// A sample: what each kind of definition becomes.

import React, { useState } from "react";
import { Pool } from "./pool";

/** What a list of connections shows. */
interface Props {
  pool: Pool;
  onPick?: (id: number) => void;
}

type State = { picked: number };

export const LIMIT = 3;

/** Shows one connection. */
function Row({ id, onPick }: { id: number; onPick: () => void }): JSX.Element {
  return (
    <li key={id} onClick={onPick}>
      {id}
    </li>
  );
}

/** Shows the connections of a pool. */
export const Connections: React.FC<Props> = ({ pool, onPick }) => {
  const [picked, setPicked] = useState<number | null>(null);
  const pick = (id: number) => {
    setPicked(id);
    onPick?.(id);
  };
  return (
    <ul>
      {pool.ids().map((id) => (
        <Row key={id} id={id} onPick={() => pick(id)} />
      ))}
      <Icons.Close />
    </ul>
  );
};

/** The same, as a class. */
export class Panel extends React.Component<Props, State> {
  state: State = { picked: 0 };

  handlePick = (id: number): void => {
    this.setState({ picked: id });
    this.props.onPick?.(id);
    console.debug(id);
  };

  render() {
    return <Connections pool={this.props.pool} onPick={this.handlePick} />;
  }
}

// Draws only when it must.
export const Quick = React.memo(function Quick(props: Props) {
  return <Connections {...props} />;
});

export default function App() {
  return <Panel pool={new Pool()} />;
}
