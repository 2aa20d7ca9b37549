-- Customers and what they ordered.
CREATE TABLE customer (
    id INTEGER PRIMARY KEY,
    email VARCHAR(200) NOT NULL UNIQUE,
    country CHAR(2) NOT NULL DEFAULT 'DE',
    created_at TIMESTAMP NOT NULL
);

CREATE TABLE purchase (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customer (id),
    amount NUMERIC(10, 2) NOT NULL CHECK (amount >= 0),
    state VARCHAR(20) NOT NULL DEFAULT 'open'
);

CREATE INDEX purchase_customer ON purchase (customer_id);

CREATE VIEW customer_total AS
SELECT c.id, c.email, SUM(p.amount) AS total, COUNT(p.id) AS purchases
FROM customer AS c
LEFT JOIN purchase AS p ON p.customer_id = c.id AND p.state = 'paid'
GROUP BY c.id, c.email;

CREATE VIEW good_customer AS
SELECT id, email, total
FROM customer_total
WHERE total > 1000 AND purchases >= 3
ORDER BY total DESC;

CREATE FUNCTION discount(total NUMERIC, country TEXT) RETURNS NUMERIC AS $$
    SELECT CASE WHEN total > 500 AND country = 'DE' THEN total * 0.05 ELSE 0 END
$$ LANGUAGE sql;
