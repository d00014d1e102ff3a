"""The one way out: requests to other servers, to allowed addresses only, with limits on time and bytes."""
