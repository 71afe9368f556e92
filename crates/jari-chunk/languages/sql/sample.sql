-- A sample: what each kind of item becomes.

CREATE SCHEMA IF NOT EXISTS net;

CREATE TYPE state AS ENUM ('free', 'busy');

-- Connections of the pool.
--
-- The oldest one goes first.
CREATE TABLE IF NOT EXISTS net.connections (
    id BIGINT PRIMARY KEY,
    pool_id BIGINT NOT NULL REFERENCES pools (id),
    state TEXT DEFAULT 'free',
    created_at TIMESTAMP NOT NULL
);

CREATE UNIQUE INDEX connections_by_pool ON net.connections (pool_id, created_at);

/* Those that can be handed out. */
CREATE OR REPLACE VIEW free_connections AS
SELECT c.id, p.name
FROM net.connections AS c
JOIN pools AS p ON p.id = c.pool_id
WHERE c.state = 'free'
ORDER BY c.created_at;

CREATE MATERIALIZED VIEW pool_sizes AS
SELECT pool_id, count(*) AS size FROM net.connections GROUP BY pool_id;

-- Takes a connection out of the pool.
CREATE OR REPLACE FUNCTION take_connection(pool BIGINT)
RETURNS BIGINT
AS $$
DECLARE
    taken BIGINT;
BEGIN
    SELECT id INTO taken FROM free_connections LIMIT 1;
    UPDATE net.connections SET state = 'busy' WHERE id = taken;
    RETURN taken;
END;
$$ LANGUAGE plpgsql;

CREATE FUNCTION tiny() RETURNS INT AS $$ SELECT 1; $$ LANGUAGE sql;

CREATE TRIGGER connections_touched
    BEFORE UPDATE ON net.connections
    FOR EACH ROW
    EXECUTE FUNCTION touch();

ALTER TABLE pools
    ADD COLUMN limit_of_connections INT DEFAULT 3;

INSERT INTO pools (id, name) VALUES (1, 'main');

WITH busy AS (
    SELECT pool_id, count(*) AS n
    FROM net.connections
    WHERE state = 'busy'
    GROUP BY pool_id
)
SELECT p.name, coalesce(busy.n, 0) AS n
FROM pools AS p
LEFT JOIN busy ON busy.pool_id = p.id;

CREATE SEQUENCE handles START WITH 1;
