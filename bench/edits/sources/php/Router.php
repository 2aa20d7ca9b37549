<?php

declare(strict_types=1);

namespace App\Http;

use InvalidArgumentException;

const DEFAULT_STATUS = 404;

interface Handler
{
    public function handle(array $parameters): string;
}

final class Router
{
    public const METHODS = ['GET', 'POST', 'DELETE'];

    /** @var array<string, Handler> */
    private array $routes = [];

    public function __construct(private string $prefix = '')
    {
    }

    public function add(string $method, string $path, Handler $handler): self
    {
        if (!in_array($method, self::METHODS, true)) {
            throw new InvalidArgumentException("Unknown method $method");
        }
        $this->routes[$method . ' ' . $this->prefix . $path] = $handler;
        return $this;
    }

    public function dispatch(string $method, string $path): ?string
    {
        foreach ($this->routes as $pattern => $handler) {
            $regex = '#^' . preg_replace('/\{(\w+)\}/', '(?<$1>[^/]+)', $pattern) . '$#';
            if (preg_match($regex, "$method $path", $found)) {
                return $handler->handle(array_filter($found, 'is_string', ARRAY_FILTER_USE_KEY));
            }
        }
        return null;
    }
}

function status_line(int $status, array $reasons = [404 => 'Not Found']): string
{
    $known = array_key_exists($status, $reasons);
    $reason = $known ? ucfirst($reasons[$status]) : 'Unknown';
    return sprintf('HTTP/1.1 %d %s', $status, $reason);
}
