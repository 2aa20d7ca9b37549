package cache

import (
	"errors"
	"sync"
	"time"
)

const DefaultLifetime = 10 * time.Minute

var ErrFull = errors.New("cache: no room for another entry")

type entry struct {
	value   []byte
	expires time.Time
}

// Cache holds values for a limited time.
type Cache struct {
	mu      sync.Mutex
	entries map[string]entry
	limit   int
}

func New(limit int) *Cache {
	return &Cache{entries: make(map[string]entry), limit: limit}
}

func (c *Cache) Put(key string, value []byte, lifetime time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.entries[key]; !known && len(c.entries) >= c.limit {
		return ErrFull
	}
	c.entries[key] = entry{value: value, expires: time.Now().Add(lifetime)}
	return nil
}

func (c *Cache) Get(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.entries[key]
	if !ok || time.Now().After(found.expires) {
		delete(c.entries, key)
		return nil, false
	}
	return found.value, true
}

func sweep(entries map[string]entry, now time.Time) (removed int) {
	for key, one := range entries {
		if now.After(one.expires) {
			delete(entries, key)
			removed++
		}
	}
	return removed
}
